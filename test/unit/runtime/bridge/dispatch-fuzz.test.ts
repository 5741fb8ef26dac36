import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { errorCodes, methodFacts, type ErrorKind } from '@causeway/guest-sdk/protocol'
import { dispatchFixture } from '../../../support/dispatch-fixture.ts'

const seed = process.env['FUZZ_SEED']
const settings = {
  numRuns: Number(process.env['FUZZ_RUNS'] ?? 1000),
  ...(seed !== undefined && { seed: Number(seed) }),
}

// Elliptic curves take most of the time: few lines get as far as them.
const { answer } = dispatchFixture()

/** Whether a reply is what every client may rely on; undefined for a notification. */
function isProper(reply: string | undefined): boolean {
  if (reply === undefined) return true
  const { jsonrpc, error, result, ...rest } = JSON.parse(reply) as Record<string, unknown>
  if (jsonrpc !== '2.0' || !('id' in rest) || reply.includes('\n')) return false
  if (error === undefined) return typeof result === 'object' && result !== null
  const { code, message, data } = error as { code: number; message: string; data: { kind: string } }
  const known = errorCodes[data.kind as ErrorKind] === code && message.length > 0
  // What a caller sends can never be answered with "internal error".
  return known && result === undefined && data.kind !== 'INTERNAL'
}

/** Sends lines until one is not answered properly. */
async function checkLines(lines: fc.Arbitrary<string | Buffer>): Promise<void> {
  const holds = async (line: string | Buffer) => isProper(await answer(line))
  await fc.assert(fc.asyncProperty(lines, holds), settings)
}

/** Mostly the first, sometimes the second. */
const mostly = <T, U>(first: fc.Arbitrary<T>, second: fc.Arbitrary<U>) =>
  fc.oneof({ weight: 9, arbitrary: first }, { weight: 1, arbitrary: second })

const json = fc.jsonValue({ maxDepth: 3 })
const signerMethods = Object.keys(methodFacts).filter((name) => name.startsWith('signer_'))
const methods = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...signerMethods) },
  { weight: 2, arbitrary: fc.constantFrom(...Object.keys(methodFacts)) },
  { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', '', 'signer_Sign') },
)
const curve = mostly(fc.constantFrom('p256', 'secp256k1', 'ed25519'), fc.constantFrom('P256', ''))
const p256Key = '03a6ba5d9e4a2f0b7b9d1b3cd28d5f9c2b0fd5b5a6d1ef9d2cf0c9f6ff6bbf9e7c'
const secp256k1Key = '023c72addb4fdf09af94f0c94d7fe92a386a7e70cf8a1d85916386bb2535c7b1b1'
const generator = '036b17d1f2e12c4247f8bce6e563a440f277037d812deb33a0f4a13945d898c296'
const key = fc.constantFrom(generator, secp256k1Key, `0x${generator}`, p256Key, p256Key.slice(2))
const randomHex = fc
  .uint8Array({ maxLength: 70 })
  .map((bytes) => Buffer.from(bytes).toString('hex'))
const digest = fc.constantFrom('00'.repeat(32), 'FF'.repeat(32), `0x${'5a'.repeat(32)}`)
const hexText = fc.oneof(randomHex, digest, key, fc.constantFrom('', 'f', '0x', 'zz'))
const path = fc.oneof(
  fc.constantFrom('m', 'm/0', "m/0'", 'm/0h', 'm/2147483648', 'm/', 'M/0', 'm//0'),
  fc.array(fc.nat(), { maxLength: 12 }).map((steps) => ['m', ...steps].join('/')),
)
const fields = fc.record(
  {
    curve: mostly(curve, json),
    bytes: mostly(fc.oneof(digest, hexText), json),
    publicKey: mostly(fc.oneof(key, hexText), json),
    salt: mostly(hexText, json),
    derivationPath: fc.oneof(fc.constant(null), path, json),
    ['__proto__']: json,
  },
  { requiredKeys: ['curve', 'bytes', 'publicKey', 'salt'] },
)
const params = mostly(fc.tuple(fields), fc.oneof(fields, fc.array(json, { maxLength: 3 }), json))
const envelope = fc.record({
  jsonrpc: mostly(fc.constant('2.0'), fc.constantFrom('1.0', 2, null)),
  method: methods,
  params,
  id: mostly(fc.constantFrom('1', 1, null), fc.oneof(fc.constant(undefined), json)),
})

describe('whatever a line holds, the reply is one of ours', () => {
  it('bytes', async () => {
    const bytes = fc.uint8Array({ maxLength: 200 }).map((data) => Buffer.from(data))
    await expect(checkLines(bytes)).resolves.toBeUndefined()
  })

  it('JSON', async () => {
    await expect(checkLines(fc.json({ maxDepth: 6 }))).resolves.toBeUndefined()
  })

  it('requests', async () => {
    const line = envelope.map((request) => JSON.stringify(request))
    await expect(checkLines(line)).resolves.toBeUndefined()
  }, 30_000)

  it('requests with one character changed', async () => {
    const line = fc
      .tuple(envelope, fc.nat(), fc.string({ maxLength: 2, unit: 'binary' }))
      .map(([request, at, text]) => {
        const whole = JSON.stringify(request)
        const cut = at % (whole.length + 1)
        return `${whole.slice(0, cut)}${text}${whole.slice(cut + 1)}`
      })
    await expect(checkLines(line)).resolves.toBeUndefined()
  }, 30_000)
})
