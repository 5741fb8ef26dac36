import { describe, expect, it } from 'vitest'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import {
  checkDerivable,
  parseDerivationPath,
} from '../../../../runtime/src/signer/derivation-path.ts'
import { thrownBy } from '../../../support/thrown.ts'

const hardened = 0x80000000
const steps = (count: number) => ['m', ...Array.from({ length: count }, () => '1')].join('/')

describe('derivation paths', () => {
  it.each([
    { path: 'm', indexes: [] },
    { path: 'm/0', indexes: [0] },
    { path: 'm/0/1', indexes: [0, 1] },
    { path: "m/0'", indexes: [hardened] },
    { path: 'm/0h', indexes: [hardened] },
    { path: 'm/0H', indexes: [hardened] },
    { path: "m/44'/60h/0H/0/7", indexes: [hardened + 44, hardened + 60, hardened, 0, 7] },
    { path: 'm/2147483647', indexes: [hardened - 1] },
    { path: "m/2147483647'", indexes: [2 ** 32 - 1] },
    { path: steps(10), indexes: Array.from({ length: 10 }, () => 1) },
  ])('$path', ({ path, indexes }) => {
    expect(parseDerivationPath(path)).toEqual(indexes)
  })

  const shape = (found: string) =>
    `derivationPath: expected m followed by /index steps, as m/44'/60'/0'/0/0, found ${found}`
  it.each([
    '',
    '/',
    'm/',
    'M',
    'M/0',
    'm//0',
    'm/0/',
    '0/1',
    '/0',
    'm0',
    ' m/0',
    'm/0 ',
    'm /0',
    'm/ 0',
    'm/0\n',
    'm/-1',
    'm/+1',
    'm/1.0',
    'm/1e3',
    'm/0x1',
    "m/'",
    "m/0''",
    "m/0'h",
    'm/0’',
    'm/٣',
    'm/*',
    'm/12345678901',
    '__proto__',
  ])('refuses %j', async (path) => {
    const error = await thrownBy(() => parseDerivationPath(path))
    expect(toErrorObject(error as RpcError)).toEqual({
      code: -32602,
      message: shape(JSON.stringify(path)),
      data: {
        kind: 'BAD_DERIVATION_PATH',
        retryable: false,
        details: { field: 'derivationPath' },
      },
    })
  })

  it.each([
    { path: 'm/2147483648', says: 'expected indexes below 2^31, found 2147483648' },
    { path: "m/0/2147483648'", says: "expected indexes below 2^31, found 2147483648'" },
    { path: 'm/9999999999', says: 'expected indexes below 2^31, found 9999999999' },
    { path: steps(11), says: 'expected at most 10 steps, found 11' },
    { path: steps(100_000), says: 'expected at most 10 steps, found 100000' },
  ])('refuses: $says', async ({ path, says }) => {
    const error = await thrownBy(() => parseDerivationPath(path))
    expect(error).toMatchObject({ kind: 'BAD_DERIVATION_PATH', message: `derivationPath: ${says}` })
  })

  it.each(['p256', 'ed25519'] as const)('refuses any path on %s', async (curve) => {
    const error = await thrownBy(() => checkDerivable(curve))
    const message = `derivationPath: derivation works on secp256k1 only, found ${curve}`
    expect(error).toMatchObject({ kind: 'BAD_DERIVATION_PATH', message })
  })

  it('shows the beginning of a long path', async () => {
    const error = await thrownBy(() => parseDerivationPath('x'.repeat(100_000)))
    expect(error).toMatchObject({ message: shape(`"${'x'.repeat(80)}"`) })
  })
})
