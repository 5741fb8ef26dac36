/**
 * The bridge's keys and signatures in the types of node:crypto.
 * @module
 */
import { createPublicKey, ECDH, verify, type KeyObject } from 'node:crypto'
import { CheckFailed, expectThat } from './outcome.ts'

export const signingCurves = ['p256', 'secp256k1', 'ed25519'] as const
export const encryptionCurves = ['p256', 'secp256k1'] as const

export type SigningCurve = (typeof signingCurves)[number]
export type EncryptionCurve = (typeof encryptionCurves)[number]

/** OpenSSL's names of the curves. */
export const opensslNames = { p256: 'prime256v1', secp256k1: 'secp256k1' } as const

/** Length of a compressed public key, bytes. */
export const publicKeyBytes: Readonly<Record<SigningCurve, number>> = {
  p256: 33,
  secp256k1: 33,
  ed25519: 32,
}

// SubjectPublicKeyInfo (RFC 5480, RFC 8410) up to the key itself.
const spkiHeaders: Readonly<Record<SigningCurve, string>> = {
  p256: '3039301306072a8648ce3d020106082a8648ce3d030107032200',
  secp256k1: '3036301006072a8648ce3d020106052b8104000a032200',
  ed25519: '302a300506032b6570032100',
}

const orders = {
  p256: 0xffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551n,
  secp256k1: 0xfffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141n,
} as const

/** Fails unless the bytes are a compressed key. */
export function expectPublicKey(curve: SigningCurve, key: Buffer): void {
  const length = publicKeyBytes[curve]
  expectThat(key.length === length, `a ${curve} key of ${length} bytes`, key.toString('hex'))
  if (curve === 'ed25519') return
  compressed(curve, key)
}

/** The compressed form of a point in either form. @throws CheckFailed when it is not a point */
export function compressed(curve: EncryptionCurve, point: Buffer): Buffer {
  try {
    const name = opensslNames[curve]
    return ECDH.convertKey(point, name, undefined, undefined, 'compressed') as Buffer
  } catch {
    throw new CheckFailed(`a ${curve} key`, point.toString('hex'))
  }
}

/** Whether the key signed the message; for ECDSA its SHA-256, raw r||s. */
export function isSigned(
  curve: SigningCurve,
  key: Buffer,
  message: Buffer,
  signature: Buffer,
): boolean {
  const algorithm = curve === 'ed25519' ? null : 'sha256'
  const options = { key: publicKey(curve, key), dsaEncoding: 'ieee-p1363' } as const
  return verify(algorithm, message, options, signature)
}

/** Whether s of a raw r||s is at most half of the curve's order. */
export function hasLowS(curve: EncryptionCurve, signature: Buffer): boolean {
  const s = BigInt(`0x${signature.subarray(32).toString('hex')}`)
  return s <= orders[curve] / 2n
}

function publicKey(curve: SigningCurve, key: Buffer): KeyObject {
  const spki = Buffer.concat([Buffer.from(spkiHeaders[curve], 'hex'), shortest(curve, key)])
  return createPublicKey({ key: spki, format: 'der', type: 'spki' })
}

function shortest(curve: SigningCurve, key: Buffer): Buffer {
  if (curve !== 'ed25519') return compressed(curve, key)
  expectPublicKey(curve, key)
  return key
}
