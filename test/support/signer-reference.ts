/**
 * The signer's correct results, computed with noble and node:crypto directly, without the signer's
 * own code.
 * @module
 */
import { createCipheriv, createDecipheriv, hkdfSync } from 'node:crypto'
import type { EncryptionCurve, SigningCurve } from '@causeway/guest-sdk/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import type { RandomSource } from './signer-random.ts'

export const weierstrass = { p256, secp256k1 }

/** Number of points of the curve. */
export const orders = { p256: p256.Point.Fn.ORDER, secp256k1: secp256k1.Point.Fn.ORDER }

export const toNumber = (bytes: Uint8Array) => BigInt(`0x${Buffer.from(bytes).toString('hex')}`)

/** 32 bytes, big-endian. */
export const toBytes = (number: bigint) =>
  new Uint8Array(Buffer.from(number.toString(16).padStart(64, '0'), 'hex'))

export function referencePublicKey(curve: SigningCurve, key: Uint8Array): Uint8Array {
  return curve === 'ed25519'
    ? ed25519.getPublicKey(key)
    : weierstrass[curve].getPublicKey(key, true)
}

export function referenceSignature(
  curve: SigningCurve,
  key: Uint8Array,
  bytes: Uint8Array,
): Uint8Array {
  return curve === 'ed25519'
    ? ed25519.sign(bytes, key)
    : weierstrass[curve].sign(bytes, key, { prehash: false, lowS: true })
}

/** A private key of the curve. */
export function randomKey(random: RandomSource, curve: SigningCurve): Uint8Array {
  for (;;) {
    const key = random.word()
    const number = toNumber(key)
    if (curve === 'ed25519' || (number > 0n && number < orders[curve])) return key
  }
}

// The names are historical: the cipher is AES-256-GCM.
const labels = {
  p256: 'ECDH secp256r1 AES-256-GCM-SIV',
  secp256k1: 'ECDH secp256k1 AES-256-GCM-SIV',
}

/** AES key of two public keys (33 bytes each) whose shared point has this x (32 bytes). */
export function cipherKey(
  curve: EncryptionCurve,
  sharedX: Uint8Array,
  salt: Uint8Array,
  publicKeys: readonly [Uint8Array, Uint8Array],
): Uint8Array {
  const sorted = publicKeys.toSorted((a, b) => Buffer.compare(a, b))
  const info = Buffer.concat([Buffer.from(labels[curve]), ...sorted])
  return new Uint8Array(hkdfSync('sha256', sharedX, salt, info, 32))
}

/** `iv(12) ‖ ciphertext ‖ tag(16)` with the given key and iv. */
export function sealWith(key: Uint8Array, iv: Uint8Array, plaintext: Uint8Array): Uint8Array {
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

/** @throws Error when the tag is wrong */
export function unsealWith(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, 12))
  decipher.setAuthTag(sealed.subarray(-16))
  return Buffer.concat([decipher.update(sealed.subarray(12, -16)), decipher.final()])
}
