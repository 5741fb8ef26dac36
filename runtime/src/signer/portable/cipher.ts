/** Envelopes over noble's ECDH. @module */
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { openEnvelope, sealEnvelope, type EnvelopeAgreement } from '@causeway/service/protocol'
import type { Agreement, Refusal } from '../backend.ts'
import { agree, publicKeyOf } from './curves.ts'

/** An agreement, with our own private key. */
export interface KeyedAgreement extends Agreement {
  curve: EncryptionCurve
  /** Own encryption key, 32 bytes. */
  privateKey: Uint8Array
}

/** Returns `iv(12) || ciphertext || tag(16)`, no additional data; the plaintext may be empty. */
export function encrypt(agreement: KeyedAgreement, plaintext: Uint8Array): Uint8Array | Refusal {
  const agreed = envelopeAgreement(agreement)
  return agreed ? sealEnvelope(agreed, plaintext) : 'BAD_PUBLIC_KEY'
}

/** Opens what {@link encrypt} made with the same pair of keys, on either side. */
export function decrypt(agreement: KeyedAgreement, sealed: Uint8Array): Uint8Array | Refusal {
  const agreed = envelopeAgreement(agreement)
  return agreed ? (openEnvelope(agreed, sealed) ?? 'DECRYPT_FAILED') : 'BAD_PUBLIC_KEY'
}

function envelopeAgreement(agreement: KeyedAgreement): EnvelopeAgreement | undefined {
  const { curve, privateKey, peerPublicKey, salt } = agreement
  const agreed = agree(curve, privateKey, peerPublicKey)
  if (!agreed) return undefined
  const { peer, sharedX } = agreed
  return { curve, sharedX, publicKeys: [publicKeyOf(curve, privateKey), peer], salt }
}
