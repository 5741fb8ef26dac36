/**
 * `signer_publicKey` and `signer_sign`, verified by node:crypto.
 * @module
 */
import { createHash } from 'node:crypto'
import { refusalOfCall, resultOfCall } from '../call.ts'
import type { Bridge, Check } from '../check.ts'
import { hasLowS, isSigned, signingCurves, type SigningCurve } from '../curves.ts'
import { bytesOf } from '../hex.ts'
import { expectThat } from '../outcome.ts'
import { codes } from '../response.ts'
import { sections } from '../sections.ts'

const section = sections.signer
const path = "m/44'/60'/0'/0/0"
const ecdsaCurves = ['p256', 'secp256k1'] as const
const badPaths = ['', 'x', 'm/', '44/60', 'm/a', 'm/-1', 'm/1.5', 'm/4294967296', 'm//0', 'm/0/']

/** More than one, since half of all signatures have a low s by chance. */
const messages = Array.from({ length: 16 }, (_, index) => Buffer.from(`message ${index}`))

/** What is passed for a message: its digest for ECDSA, itself for ed25519. */
function signedBytes(curve: SigningCurve, message: Buffer): string {
  const bytes = curve === 'ed25519' ? message : createHash('sha256').update(message).digest()
  return bytes.toString('hex')
}

async function keyOf(bridge: Bridge, params: object): Promise<Buffer> {
  const { publicKey } = await resultOfCall(bridge, 'signer_publicKey', params)
  return bytesOf(publicKey, 'publicKey')
}

async function sign(
  bridge: Bridge,
  curve: SigningCurve,
  message: Buffer,
  more: object = {},
): Promise<Buffer> {
  const params = { curve, bytes: signedBytes(curve, message), ...more }
  const { bytes } = await resultOfCall(bridge, 'signer_sign', params)
  const signature = bytesOf(bytes, 'bytes')
  expectThat(signature.length === 64, 'a signature of 64 bytes', bytes)
  return signature
}

async function checkSignatures(bridge: Bridge, curve: SigningCurve, more: object = {}) {
  const key = await keyOf(bridge, { curve, ...more })
  for (const message of messages.slice(0, 3)) {
    const signature = await sign(bridge, curve, message, more)
    const isValid = isSigned(curve, key, message, signature)
    expectThat(isValid, 'a signature that verifies', signature.toString('hex'))
  }
}

async function checkLowS(bridge: Bridge, curve: 'p256' | 'secp256k1'): Promise<void> {
  for (const message of messages) {
    const signature = await sign(bridge, curve, message)
    expectThat(hasLowS(curve, signature), 's in the lower half', signature.toString('hex'))
  }
}

async function checkSame(bridge: Bridge, curve: SigningCurve): Promise<void> {
  const message = Buffer.from('twice the same')
  const first = await sign(bridge, curve, message)
  const second = await sign(bridge, curve, message)
  expectThat(second.equals(first), first.toString('hex'), second.toString('hex'))
}

async function checkEd25519Lengths(bridge: Bridge): Promise<void> {
  const key = await keyOf(bridge, { curve: 'ed25519' })
  for (const length of [0, 1, 31, 33, 10_000]) {
    const message = Buffer.alloc(length, 'm')
    const signature = await sign(bridge, 'ed25519', message)
    const isValid = isSigned('ed25519', key, message, signature)
    expectThat(isValid, `a signature of ${length} bytes that verifies`, signature.toString('hex'))
  }
}

async function checkDerivation(bridge: Bridge): Promise<void> {
  const curve = 'secp256k1'
  const derived = await resultOfCall(bridge, 'signer_publicKey', { curve, derivationPath: path })
  expectThat(derived['derivationPath'] === path, path, derived['derivationPath'])
  const plain = await resultOfCall(bridge, 'signer_publicKey', { curve })
  expectThat(!('derivationPath' in plain), 'no derivationPath unless asked for', plain)
  const isAnother = derived['publicKey'] !== plain['publicKey']
  expectThat(isAnother, 'another key than without a path', derived['publicKey'])
  await checkSignatures(bridge, curve, { derivationPath: path })
}

async function refusesSign(bridge: Bridge, params: object): Promise<void> {
  await refusalOfCall(bridge, codes.invalidParams, 'signer_sign', params)
}

const perCurve = (curve: SigningCurve): Check => ({
  id: `sign.${curve}`,
  section,
  title: `${curve} signatures have 64 bytes and verify`,
  run: (bridge) => checkSignatures(bridge, curve),
})

const perEcdsaCurve = (curve: 'p256' | 'secp256k1'): readonly Check[] => [
  {
    id: `sign.low-s-${curve}`,
    section,
    title: `${curve} signatures have a low s`,
    // The specification says so of secp256k1 only.
    ...(curve === 'p256' && { profile: 'causeway' as const }),
    run: (bridge) => checkLowS(bridge, curve),
  },
  {
    id: `sign.deterministic-${curve}`,
    section,
    title: `${curve} signs the same digest the same way (RFC 6979)`,
    profile: 'causeway',
    run: (bridge) => checkSame(bridge, curve),
  },
  {
    id: `sign.digest-length-${curve}`,
    section,
    title: `${curve} signs 32 bytes only: -32602`,
    profile: 'causeway',
    async run(bridge) {
      for (const length of [0, 31, 33, 64])
        await refusesSign(bridge, { curve, bytes: '00'.repeat(length) })
    },
  },
]

/** Checks of keys and signatures. */
export const signatureChecks: readonly Check[] = [
  ...signingCurves.map(perCurve),
  ...ecdsaCurves.flatMap(perEcdsaCurve),
  {
    id: 'sign.ed25519-lengths',
    section,
    title: 'ed25519 signs messages of any length',
    run: checkEd25519Lengths,
  },
  {
    id: 'sign.unknown-curve',
    section,
    title: 'an unknown curve: -32602',
    run: (bridge) => refusesSign(bridge, { curve: 'p384', bytes: '00'.repeat(32) }),
  },
  {
    id: 'derivation.secp256k1',
    section,
    title: 'a secp256k1 key at a path is another key, signs, and its path is echoed',
    run: checkDerivation,
  },
  ...(['p256', 'ed25519'] as const).map((curve): Check => ({
    id: `derivation.${curve}`,
    section,
    title: `${curve} has no derivation: -32602`,
    profile: 'causeway',
    run: (bridge) => refusesSign(bridge, { curve, bytes: '00'.repeat(32), derivationPath: path }),
  })),
  {
    id: 'derivation.bad-path',
    section,
    title: 'a malformed path: -32602',
    profile: 'causeway',
    async run(bridge) {
      for (const derivationPath of badPaths) {
        const params = { curve: 'secp256k1', derivationPath }
        await refusalOfCall(bridge, codes.invalidParams, 'signer_publicKey', params)
      }
    },
  },
]
