/**
 * `signer_encrypt` and `signer_decrypt`: ECDH, HKDF-SHA256, AES-256-GCM.
 * @module
 */
import { createCipheriv, createDecipheriv, hkdfSync, randomBytes } from 'node:crypto'
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { RpcError } from '../bridge/errors.ts'
import { agree, publicKeyOf } from './curves.ts'

const ivBytes = 12
const tagBytes = 16
const keyBytes = 32

// The names are historical: the cipher is AES-256-GCM, not GCM-SIV.
const labels = {
  p256: 'ECDH secp256r1 AES-256-GCM-SIV',
  secp256k1: 'ECDH secp256k1 AES-256-GCM-SIV',
} as const

/** One side's view of an agreement: its own private key and what both must know. */
export interface Agreement {
  curve: EncryptionCurve
  /** Own encryption key, 32 bytes. */
  privateKey: Uint8Array
  /** The peer's encryption key, 33 or 65 bytes; one's own is allowed. */
  peerPublicKey: Uint8Array
  /** HKDF salt, any length. */
  salt: Uint8Array
}

/** `iv(12) || ciphertext || tag(16)`, no additional data; the plaintext may be empty. */
export function encrypt(agreement: Agreement, plaintext: Uint8Array): Uint8Array {
  const key = agreedKey(agreement)
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  const sealed = Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
  key.fill(0)
  return sealed
}

/**
 * The plaintext of what {@link encrypt} made on either side.
 * @throws RpcError DECRYPT_FAILED with one text for every cause, so that it is no oracle.
 */
export function decrypt(agreement: Agreement, sealed: Uint8Array): Uint8Array {
  const key = agreedKey(agreement)
  try {
    return open(key, sealed)
  } catch (cause) {
    throw new RpcError('DECRYPT_FAILED', 'the bytes could not be decrypted', { cause })
  } finally {
    key.fill(0)
  }
}

function open(key: Uint8Array, sealed: Uint8Array): Uint8Array {
  if (sealed.length < ivBytes + tagBytes) throw new RangeError('shorter than iv and tag')
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  const body = sealed.subarray(ivBytes, -tagBytes)
  return Buffer.concat([decipher.update(body), decipher.final()])
}

/** HKDF-SHA256 of the shared x; both sides sort the public keys, so either may decrypt. */
function agreedKey({ curve, privateKey, peerPublicKey, salt }: Agreement): Uint8Array {
  const { peer, sharedX } = agree(curve, privateKey, peerPublicKey)
  const own = publicKeyOf(curve, privateKey)
  const info = Buffer.concat([
    Buffer.from(labels[curve]),
    ...[own, peer].sort((a, b) => Buffer.compare(a, b)),
  ])
  try {
    return new Uint8Array(hkdfSync('sha256', sharedX, salt, info, keyBytes))
  } finally {
    sharedX.fill(0)
  }
}
