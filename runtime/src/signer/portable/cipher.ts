/**
 * Encryption between two keys: ECDH, HKDF-SHA256 and AES-256-GCM, over noble and node:crypto.
 * @module
 */
import { hkdfSync } from 'node:crypto'
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import type { Agreement, Refusal } from '../backend.ts'
import { agree, publicKeyOf } from './curves.ts'
import { seal, unseal } from './seal.ts'

const keyBytes = 32
const noAdditional = new Uint8Array()

// The names are historical: the cipher is AES-256-GCM, not GCM-SIV.
const labels = {
  p256: 'ECDH secp256r1 AES-256-GCM-SIV',
  secp256k1: 'ECDH secp256k1 AES-256-GCM-SIV',
} as const

/** An agreement, with our own private key. */
export interface KeyedAgreement extends Agreement {
  curve: EncryptionCurve
  /** Own encryption key, 32 bytes. */
  privateKey: Uint8Array
}

/** Returns `iv(12) || ciphertext || tag(16)`, no additional data; the plaintext may be empty. */
export function encrypt(agreement: KeyedAgreement, plaintext: Uint8Array): Uint8Array | Refusal {
  const key = agreedKey(agreement)
  if (!key) return 'BAD_PUBLIC_KEY'
  try {
    return seal(key, noAdditional, plaintext)
  } finally {
    key.fill(0)
  }
}

/** Opens what {@link encrypt} made with the same pair of keys, on either side. */
export function decrypt(agreement: KeyedAgreement, sealed: Uint8Array): Uint8Array | Refusal {
  const key = agreedKey(agreement)
  if (!key) return 'BAD_PUBLIC_KEY'
  try {
    return unseal(key, noAdditional, sealed) ?? 'DECRYPT_FAILED'
  } finally {
    key.fill(0)
  }
}

/** HKDF-SHA256 of the shared x. Sorting the public keys gives both sides the same key. */
function agreedKey(agreement: KeyedAgreement): Uint8Array | undefined {
  const { curve, privateKey, peerPublicKey, salt } = agreement
  const agreed = agree(curve, privateKey, peerPublicKey)
  if (!agreed) return undefined
  const own = publicKeyOf(curve, privateKey)
  const info = Buffer.concat([
    Buffer.from(labels[curve]),
    ...[own, agreed.peer].sort((a, b) => Buffer.compare(a, b)),
  ])
  try {
    return new Uint8Array(hkdfSync('sha256', agreed.sharedX, salt, info, keyBytes))
  } finally {
    agreed.sharedX.fill(0)
  }
}
