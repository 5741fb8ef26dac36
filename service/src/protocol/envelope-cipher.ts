/**
 * The envelope that `signer_encrypt` makes: HKDF-SHA256 over an ECDH secret, then AES-256-GCM.
 * The agreement itself is the caller's: `docs/keys.md` of the runtime has all bytes with vectors.
 * @module
 */
import { hkdfSync } from 'node:crypto'
import { seal, unseal } from './seal.ts'

const keyBytes = 32
const noAdditional = new Uint8Array()

// The names are historical: the cipher is AES-256-GCM, not GCM-SIV.
const labels = {
  p256: 'ECDH secp256r1 AES-256-GCM-SIV',
  secp256k1: 'ECDH secp256k1 AES-256-GCM-SIV',
} as const

/** What both sides of an envelope know. */
export interface EnvelopeAgreement {
  curve: keyof typeof labels
  /** x coordinate of the shared point, 32 bytes; the functions here zero it. */
  sharedX: Uint8Array
  /** Both public keys, SEC1 compressed (33 bytes), in any order: either side may open the envelope. */
  publicKeys: readonly [Uint8Array, Uint8Array]
  /** HKDF salt, any length. */
  salt: Uint8Array
}

/** `iv(12) || ciphertext || tag(16)`, no additional data; the plaintext may be empty. */
export function sealEnvelope(agreement: EnvelopeAgreement, plaintext: Uint8Array): Uint8Array {
  return withKey(agreement, (key) => seal(key, noAdditional, plaintext))
}

/** The plaintext; undefined when the envelope was not sealed under this agreement. */
export function openEnvelope(agreement: EnvelopeAgreement, sealed: Uint8Array) {
  return withKey(agreement, (key) => unseal(key, noAdditional, sealed))
}

function withKey<T>(agreement: EnvelopeAgreement, use: (key: Uint8Array) => T): T {
  const { curve, sharedX, publicKeys, salt } = agreement
  const sorted = [...publicKeys].sort((a, b) => Buffer.compare(a, b))
  const info = Buffer.concat([Buffer.from(labels[curve]), ...sorted])
  let key: Uint8Array | undefined
  try {
    key = new Uint8Array(hkdfSync('sha256', sharedX, salt, info, keyBytes))
    return use(key)
  } finally {
    sharedX.fill(0)
    key?.fill(0)
  }
}
