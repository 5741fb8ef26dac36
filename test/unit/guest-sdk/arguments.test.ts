/** Wrong arguments: the error names the field, and nothing is sent. */
import { connect, type Bridge, type CallOptions, type ConnectOptions } from '@causeway/guest-sdk'
import { describe, expect, it } from 'vitest'
import { replyWith, test } from '../../support/recording-bridge.ts'
import { thrownBy } from '../../support/thrown.ts'

const bytes = new Uint8Array(32)
const cipher = { curve: 'p256', publicKey: bytes, salt: bytes, bytes }
/** As JavaScript passes it: without types. */
type Loose = Record<string, Record<string, (...args: unknown[]) => Promise<unknown>>>

const noBytes = (field: string, found: string) => `${field}: expected a Uint8Array, found ${found}`
const makesOne = "; Buffer.from(text, 'utf8' or 'hex') makes one"

const wrong: readonly { args: [object: string, method: string, ...unknown[]]; says: string }[] = [
  {
    args: ['signer', 'sign', { curve: 'p256', bytes: 'abc' }],
    says: noBytes('bytes', `a string${makesOne}`),
  },
  { args: ['signer', 'sign', { curve: 'p256' }], says: noBytes('bytes', 'nothing') },
  {
    args: ['signer', 'sign', { curve: 'p256', bytes: [1] }],
    says: noBytes('bytes', 'an object of class Array'),
  },
  {
    args: ['signer', 'sign', { curve: 'p256', bytes: bytes.buffer }],
    says: noBytes('bytes', 'an object of class ArrayBuffer'),
  },
  {
    args: ['signer', 'sign', { curve: 1, bytes }],
    says: 'curve: expected a string, found a number',
  },
  { args: ['signer', 'sign'], says: 'input: expected an object, found nothing' },
  {
    args: ['signer', 'sign', { curve: 'secp256k1', bytes, derivationPath: null }],
    says: 'derivationPath: expected a string, found null',
  },
  { args: ['signer', 'publicKey', 'p256'], says: 'input: expected an object, found a string' },
  { args: ['signer', 'encrypt', { ...cipher, salt: null }], says: noBytes('salt', 'null') },
  { args: ['signer', 'encrypt', { ...cipher, bytes: {} }], says: noBytes('bytes', 'an object') },
  {
    args: ['signer', 'decrypt', { ...cipher, publicKey: '02ab' }],
    says: noBytes('publicKey', `a string${makesOne}`),
  },
  { args: ['network', 'whitelist'], says: 'host: expected a string, found nothing' },
  {
    args: ['processor', 'version', { timeoutMs: '5' }],
    says: 'timeoutMs: expected a number of milliseconds, found a string',
  },
  { args: ['processor', 'version', 5], says: 'options: expected an object, found a number' },
  {
    args: ['processor', 'version', { signal: new AbortController() }],
    says: 'signal: expected an AbortSignal, found an object of class AbortController',
  },
]

describe('a wrong argument of a call', () => {
  test.for(wrong)('$says', async ({ args: [object, method, ...args], says }, { host }) => {
    const { name, connections } = await host(replyWith({ result: {} }))
    const bridge: Bridge = connect({ socket: name })
    const error = await thrownBy(() => (bridge as unknown as Loose)[object]![method]!(...args))
    expect(error).toStrictEqual(new TypeError(says))
    expect(connections()).toBe(0)
  })

  test('is a method without a name', async ({ host }) => {
    const { name } = await host(replyWith({ result: {} }))
    const { call } = connect({ socket: name })
    const calling = (call as unknown as (method?: string) => Promise<unknown>)()
    await expect(calling).rejects.toStrictEqual(
      new TypeError('method: expected a string, found nothing'),
    )
  })

  it.each([-1, 1.5, NaN, Infinity, 2 ** 31])('is a time of %d ms', async (timeoutMs) => {
    const options: CallOptions = { timeoutMs }
    await expect(connect({ socket: 'x' }).processor.version(options)).rejects.toStrictEqual(
      new RangeError(
        `timeoutMs: expected an integer from 0 to 2147483647 (ms), found ${timeoutMs}`,
      ),
    )
  })
})

describe('a wrong option of a client', () => {
  it.each([
    [null, 'options: expected an object, found null'],
    ['causeway-1', 'options: expected an object, found a string'],
    [{ socket: 7 }, 'socket: expected a string, found a number'],
    [{ timeoutMs: null }, 'timeoutMs: expected a number of milliseconds, found null'],
    [{ retries: '4' }, 'retries: expected a number, found a string'],
    [{ retries: -1 }, 'retries: expected a number from 0, found -1'],
    [{ retries: NaN }, 'retries: expected a number from 0, found NaN'],
  ])('%j', (options, says) => {
    expect(() => connect(options as ConnectOptions)).toThrow(says)
  })
})
