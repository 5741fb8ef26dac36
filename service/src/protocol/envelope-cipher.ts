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
  const { sharedX } = agreement
  try {
    return withKey(agreement, sharedX, (key) => seal(key, noAdditional, plaintext))
  } finally {
    sharedX.fill(0)
  }
}

/**
 * The plaintext; undefined when the envelope was not sealed under this agreement. Some senders drop
 * the leading zero bytes of the shared x. A refusal has tried both forms, also when they are the
 * same: its time must not tell whether the x begins with zeros, because that answer for many chosen
 * peers gives the private key away.
 */
export function openEnvelope(agreement: EnvelopeAgreement, sealed: Uint8Array) {
  const { sharedX } = agreement
  const open = (x: Uint8Array) => withKey(agreement, x, (key) => unseal(key, noAdditional, sealed))
  try {
    return open(sharedX) ?? open(withoutLeadingZeros(sharedX))
  } finally {
    sharedX.fill(0)
  }
}

/** No branch depends on the bytes. */
function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  let zeros = 0
  let isLeading = 1
  for (const byte of bytes) {
    // 1 for a zero byte: only then does subtracting 1 set the high bits.
    isLeading &= (byte - 1) >>> 31
    zeros += isLeading
  }
  return bytes.subarray(zeros)
}

function withKey<T>(
  { curve, publicKeys, salt }: EnvelopeAgreement,
  sharedX: Uint8Array,
  use: (key: Uint8Array) => T,
): T {
  const sorted = [...publicKeys].sort((a, b) => Buffer.compare(a, b))
  const info = Buffer.concat([Buffer.from(labels[curve]), ...sorted])
  const key = new Uint8Array(hkdfSync('sha256', sharedX, salt, info, keyBytes))
  try {
    return use(key)
  } finally {
    key.fill(0)
  }
}
