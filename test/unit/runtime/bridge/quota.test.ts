import { setTimeout as delay } from 'node:timers/promises'
import { describe, expect, it, test } from 'vitest'
import { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { noLimits } from '../../../../runtime/src/bridge/limits/limits.ts'
import { dispatchFixture, peer, request } from '../../../support/dispatch-fixture.ts'

const once = { perSecond: 1, burst: 2, deadlineMs: Infinity }
const sign = request('signer_sign', { curve: 'ed25519', bytes: '00' })
const tooOften = (name: string) => ({
  error: {
    code: -32005,
    message: `too many calls of class ${name} (limit 1 per second)`,
    data: {
      kind: 'LIMIT_EXCEEDED',
      retryable: true,
      retryAfterMs: expect.any(Number) as number,
      details: { class: name, perSecond: 1 },
    },
  },
})

describe('calls of a class', () => {
  it('are refused beyond the rate, with the time for a retry', async () => {
    const { ask } = dispatchFixture({ limits: { ...noLimits, read: once } })
    for (let call = 0; call < 2; call++) {
      expect(await ask(request('deployment_slot'))).toHaveProperty('result')
    }
    expect(await ask(request('processor_version'))).toMatchObject({ id: '1', ...tooOften('read') })
  })

  it('do not use up the rate of other classes', async () => {
    const { ask } = dispatchFixture({ limits: { ...noLimits, key: once } })
    for (let call = 0; call < 2; call++) expect(await ask(sign)).toHaveProperty('result')
    expect(await ask(sign)).toMatchObject(tooOften('key'))
    expect(await ask(request('deployment_slot'))).toHaveProperty('result')
  })

  it('count even when they are refused, unknown, invalid, or notifications', async () => {
    for (const line of ['{}', 'x', '[]', '{"jsonrpc":"2.0","method":"x"}', '"\ud83d']) {
      const { answer, ask } = dispatchFixture({ limits: { ...noLimits, read: once } })
      await answer(line)
      await answer(line)
      expect(await ask(request('deployment_slot'))).toMatchObject(tooOften('read'))
    }
  })

  it('beyond the rate are refused before any other check', async () => {
    const { answer, ask } = dispatchFixture({ limits: { ...noLimits, read: once } })
    await ask(request('deployment_slot'))
    await ask(request('deployment_slot'))
    expect(JSON.parse((await answer('{"id":12345678901234567890}'))!)).toMatchObject(
      tooOften('read'),
    )
    expect(await answer('{"id":12345678901234567890}')).toMatch(/"id":12345678901234567890}$/)
    expect(await answer('{"jsonrpc":"2.0","method":"deployment_slot"}')).toBeUndefined()
  })
})

describe('a long line', () => {
  const long = (bytes: number) =>
    JSON.stringify({ jsonrpc: '2.0', method: 'deployment_slot', id: 'x'.repeat(bytes - 100) })
  // A rate so slow that no token returns while the test runs.
  const read = { perSecond: 0.01, burst: 4, deadlineMs: Infinity }

  it('counts as one more call of class read for each 4 KiB', async () => {
    const { answer } = dispatchFixture({ limits: { ...noLimits, read } })
    expect(await answer(long(2.5 * 4096))).toContain('"result"')
    const refused = JSON.parse((await answer(long(2.5 * 4096)))!) as object
    expect(refused).toMatchObject({ id: null, error: { data: { kind: 'LIMIT_EXCEEDED' } } })
    expect(refused).toHaveProperty('error.data.retryAfterMs', expect.closeTo(198_000, -4))
  })

  it('counts at most as a whole burst', async () => {
    const { answer } = dispatchFixture({ limits: { ...noLimits, read } })
    const refused = JSON.parse((await answer(long(100_000)))!) as object
    // The line used the whole burst, so no token is left for its call.
    expect(refused).toHaveProperty('error.data.retryAfterMs', expect.closeTo(100_000, -3))
  })

  it('is not parsed when it consists of structure only', async () => {
    const { answer } = dispatchFixture()
    expect(JSON.parse((await answer('['.repeat(100_000)))!)).toEqual({
      jsonrpc: '2.0',
      id: null,
      error: {
        code: -32005,
        message: 'the request line has over 1024 brackets, colons and commas',
        data: { kind: 'LIMIT_EXCEEDED', retryable: false, details: { maxStructure: 1024 } },
      },
    })
  })
})

describe('a call that takes too long', () => {
  const limits = { ...noLimits, read: { ...noLimits.read, deadlineMs: 30 } }

  it('is answered DEADLINE_EXCEEDED', async () => {
    const handlers = { deployment_slot: () => new Promise<never>(() => {}) }
    const { ask } = dispatchFixture({ limits, handlers })
    expect(await ask(request('deployment_slot'))).toMatchObject({
      error: {
        code: -32603,
        message: 'deployment_slot: no answer within 30 ms',
        data: { kind: 'DEADLINE_EXCEEDED', retryable: true, details: { deadlineMs: 30 } },
      },
    })
  })

  it.each([
    ['late result', async () => ({ slot: 1 })],
    ['late failure', () => Promise.reject(new Error('late'))],
  ])('may still end with a %s, which is dropped', async (_what, end) => {
    const unhandled: unknown[] = []
    const note = (error: unknown) => unhandled.push(error)
    process.on('unhandledRejection', note)
    const handlers = { deployment_slot: () => delay(60).then(end) }
    const { ask, lines } = dispatchFixture({ limits, handlers })
    expect(await ask(request('deployment_slot'))).toHaveProperty('error')
    await delay(80)
    process.off('unhandledRejection', note)
    expect({ unhandled, lines }).toEqual({ unhandled: [], lines: [] })
  })

  it('stays in flight until its work ends', async () => {
    let release: (slot: { slot: number }) => void = () => {}
    const handlers = {
      deployment_slot: () => new Promise<{ slot: number }>((resolve) => (release = resolve)),
    }
    const { ask } = dispatchFixture({ limits: { ...limits, maxInFlight: 1 }, handlers })
    expect(await ask(request('deployment_slot'))).toHaveProperty(
      'error.data.kind',
      'DEADLINE_EXCEEDED',
    )
    expect(await ask(request('processor_version'))).toMatchObject({
      id: '1',
      error: { code: -32005, data: { kind: 'LIMIT_EXCEEDED', retryAfterMs: 50 } },
    })
    release({ slot: 1 })
    await delay(1)
    expect(await ask(request('processor_version'))).toHaveProperty('result')
  })

  it('leaves no timer when it ends in time', async () => {
    const handlers = { deployment_slot: async () => ({ slot: 1 }) }
    const long = { ...noLimits, read: { ...noLimits.read, deadlineMs: 2 ** 30 } }
    const before = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    const { ask } = dispatchFixture({ limits: long, handlers })
    expect(await ask(request('deployment_slot'))).toHaveProperty('result')
    await delay(1)
    const after = process.getActiveResourcesInfo().filter((name) => name === 'Timeout').length
    expect(after).toBe(before)
  })
})

describe('the caller of a key operation', () => {
  const rejected = () => new RpcError('PEER_REJECTED', 'not yours')

  test.each([
    ['signer_sign', { curve: 'p256', bytes: '11'.repeat(32) }],
    ['signer_publicKey', { curve: 'p256' }],
    ['signer_encrypt', { curve: 'p256', publicKey: '', salt: '', bytes: '' }],
  ])('is checked again before the answer of %s', async (method, params) => {
    const { ask } = dispatchFixture({ caller: { peer, judgeAgain: rejected } })
    expect(await ask(request(method, params))).toEqual({
      jsonrpc: '2.0',
      id: '1',
      error: {
        code: -32001,
        message: 'not yours',
        data: { kind: 'PEER_REJECTED', retryable: false },
      },
    })
  })

  it('is checked after the key was used', async () => {
    const order: string[] = []
    const caller = { peer, judgeAgain: () => void order.push('judged') }
    const handlers = { signer_sign: async () => (order.push('signed'), { bytes: '00' }) }
    expect(await dispatchFixture({ caller, handlers }).ask(sign)).toHaveProperty('result')
    expect(order).toEqual(['signed', 'judged'])
  })

  it('is not checked again when no key is used', async () => {
    const { ask } = dispatchFixture({ caller: { peer, judgeAgain: rejected } })
    expect(await ask(request('deployment_publicKeys'))).toHaveProperty('result')
  })
})
