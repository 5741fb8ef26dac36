/**
 * The curve operations the keyring needs, over noble: portable and deterministic.
 * @module
 */
import type { EncryptionCurve, SigningCurve } from '@causeway/guest-sdk/protocol'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { RpcError } from '../bridge/errors.ts'

const digestBytes = 32

const weierstrass = { p256, secp256k1 }

/** SEC1 compressed (33 bytes), or the 32 bytes of an ed25519 key. */
export function publicKeyOf(curve: SigningCurve, privateKey: Uint8Array): Uint8Array {
  return curve === 'ed25519'
    ? ed25519.getPublicKey(privateKey)
    : weierstrass[curve].getPublicKey(privateKey, true)
}

/**
 * 64 bytes. p256, secp256k1: RFC 6979 over exactly the given digest, raw `r||s`, low s on both,
 * because common verifiers refuse the other half. ed25519: RFC 8032 over the message.
 * @throws RpcError BAD_DIGEST_LENGTH unless the digest has 32 bytes.
 */
export function sign(curve: SigningCurve, privateKey: Uint8Array, bytes: Uint8Array): Uint8Array {
  if (curve === 'ed25519') return ed25519.sign(bytes, privateKey)
  if (bytes.length !== digestBytes) {
    throw new RpcError(
      'BAD_DIGEST_LENGTH',
      `bytes: ${curve} signs a digest of ${digestBytes} bytes, found ${bytes.length}`,
      { hint: 'hash the message first, for example with SHA-256', details: { field: 'bytes' } },
    )
  }
  return weierstrass[curve].sign(bytes, privateKey, { prehash: false, lowS: true })
}

/**
 * The peer's key in compressed form and the x coordinate of the shared point, 32 bytes with its
 * leading zeros.
 * @throws RpcError BAD_PUBLIC_KEY for a wrong length, prefix, or a point off the curve.
 */
export function agree(
  curve: EncryptionCurve,
  privateKey: Uint8Array,
  peerPublicKey: Uint8Array,
): { peer: Uint8Array; sharedX: Uint8Array } {
  const point = parsePoint(curve, peerPublicKey)
  const shared = weierstrass[curve].getSharedSecret(privateKey, point, true)
  return { peer: point, sharedX: shared.subarray(1) }
}

function parsePoint(curve: EncryptionCurve, bytes: Uint8Array): Uint8Array {
  const expected = `a point of ${curve} in 33 bytes (compressed) or 65 (uncompressed)`
  const refuse = (found: string, cause?: unknown) =>
    new RpcError('BAD_PUBLIC_KEY', `publicKey: expected ${expected}, found ${found}`, {
      cause,
      details: { field: 'publicKey' },
    })
  if (bytes.length !== 33 && bytes.length !== 65) throw refuse(`${bytes.length} bytes`)
  try {
    return weierstrass[curve].Point.fromBytes(bytes).toBytes(true)
  } catch (error) {
    throw refuse('bytes that are no such point', error)
  }
}
