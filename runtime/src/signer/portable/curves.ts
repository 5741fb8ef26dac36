/**
 * Curve operations over noble: same results as the native backend, about ten times slower.
 *
 * noble hashes by default: so `prehash: false`. On both ECDSA curves its default is low s. noble and
 * BigInt leave copies of keys in the heap that nobody can zero: only this folder and tests may give them
 * a private key.
 * @module
 */
import type { EncryptionCurve, SigningCurve } from '@causeway/guest-sdk/protocol'
import { orNone } from '@causeway/service/failure'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'

const weierstrass = { p256, secp256k1 }

/** Whether 32 bytes are a private key of the curve. */
export function isPrivateKey(curve: SigningCurve, key: Uint8Array): boolean {
  return { ...weierstrass, ed25519 }[curve].utils.isValidSecretKey(key)
}

/** SEC1 compressed (33 bytes), or the 32 bytes of an ed25519 key. */
export function publicKeyOf(curve: SigningCurve, privateKey: Uint8Array): Uint8Array {
  return curve === 'ed25519'
    ? ed25519.getPublicKey(privateKey)
    : weierstrass[curve].getPublicKey(privateKey, true)
}

/** Signature of 64 bytes over a digest of 32 bytes or (ed25519) a message. */
export function sign(curve: SigningCurve, privateKey: Uint8Array, bytes: Uint8Array): Uint8Array {
  return curve === 'ed25519'
    ? ed25519.sign(bytes, privateKey)
    : weierstrass[curve].sign(bytes, privateKey, { prehash: false, lowS: true })
}

/**
 * The peer's key in compressed form, and the x coordinate of the shared point, 32 bytes with
 * leading zeros; undefined for a wrong length or prefix, or a point off the curve.
 */
export function agree(
  curve: EncryptionCurve,
  privateKey: Uint8Array,
  peerPublicKey: Uint8Array,
): { peer: Uint8Array; sharedX: Uint8Array } | undefined {
  const peer = parsePoint(curve, peerPublicKey)
  if (!peer) return undefined
  return { peer, sharedX: weierstrass[curve].getSharedSecret(privateKey, peer, true).subarray(1) }
}

function parsePoint(curve: EncryptionCurve, bytes: Uint8Array): Uint8Array | undefined {
  if (bytes.length !== 33 && bytes.length !== 65) return undefined
  return orNone(() => weierstrass[curve].Point.fromBytes(bytes).toBytes(true))
}
