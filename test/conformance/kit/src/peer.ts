/**
 * The peer of `signer_encrypt` and `signer_decrypt`, written from the description of the cipher:
 * ECDH, HKDF-SHA256 with a label and both public keys, AES-256-GCM.
 * @module
 */
import {
  createCipheriv,
  createDecipheriv,
  createECDH,
  hkdfSync,
  randomBytes,
  type ECDH,
} from 'node:crypto'
import { opensslNames, type EncryptionCurve } from './curves.ts'

/** Lengths of the parts before and after the ciphertext. */
export const ivBytes = 12
export const tagBytes = 16

// The names are historical: the cipher is AES-256-GCM.
const labels = {
  p256: 'ECDH secp256r1 AES-256-GCM-SIV',
  secp256k1: 'ECDH secp256k1 AES-256-GCM-SIV',
} as const

/** A key pair of this process that exchanges messages with the bridge. */
export interface Peer {
  /** 33 bytes. */
  compressed: Buffer
  /** 65 bytes. */
  uncompressed: Buffer
  encrypt(to: Buffer, salt: Buffer, plaintext: Buffer): Buffer
  decrypt(from: Buffer, salt: Buffer, sealed: Buffer): Buffer
}

/** A new key pair. */
export function createPeer(curve: EncryptionCurve): Peer {
  return peerOf(curve, newPair(curve), (sharedX) => sharedX)
}

/**
 * A key pair whose shared x with `other` begins with a zero byte. The peer drops leading zero bytes, as
 * some senders do.
 */
export function createDroppingPeer(curve: EncryptionCurve, other: Buffer): Peer {
  // One pair in 256 will do.
  for (;;) {
    const pair = newPair(curve)
    if (pair.computeSecret(other)[0] === 0) return peerOf(curve, pair, withoutLeadingZeros)
  }
}

function newPair(curve: EncryptionCurve): ECDH {
  const pair = createECDH(opensslNames[curve])
  pair.generateKeys()
  return pair
}

function withoutLeadingZeros(bytes: Buffer): Buffer {
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0))
}

function peerOf(curve: EncryptionCurve, pair: ECDH, formOf: (sharedX: Buffer) => Buffer): Peer {
  const compressed = pair.getPublicKey(null, 'compressed')
  const keyWith = (other: Buffer, salt: Buffer) => {
    const both = [compressed, other].sort((a, b) => Buffer.compare(a, b))
    const info = Buffer.concat([Buffer.from(labels[curve]), ...both])
    const sharedX = formOf(pair.computeSecret(other))
    return new Uint8Array(hkdfSync('sha256', sharedX, salt, info, 32))
  }
  return {
    compressed,
    uncompressed: pair.getPublicKey(null, 'uncompressed'),
    encrypt: (to, salt, plaintext) => seal(keyWith(to, salt), plaintext),
    decrypt: (from, salt, sealed) => open(keyWith(from, salt), sealed),
  }
}

function seal(key: Uint8Array, plaintext: Buffer): Buffer {
  const iv = randomBytes(ivBytes)
  const cipher = createCipheriv('aes-256-gcm', key, iv)
  return Buffer.concat([iv, cipher.update(plaintext), cipher.final(), cipher.getAuthTag()])
}

function open(key: Uint8Array, sealed: Buffer): Buffer {
  const decipher = createDecipheriv('aes-256-gcm', key, sealed.subarray(0, ivBytes), {
    authTagLength: tagBytes,
  })
  decipher.setAuthTag(sealed.subarray(-tagBytes))
  return Buffer.concat([decipher.update(sealed.subarray(ivBytes, -tagBytes)), decipher.final()])
}
