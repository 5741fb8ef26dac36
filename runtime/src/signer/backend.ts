/**
 * What a signer backend offers: it holds private keys and uses them. Two implement it, `native` and
 * `portable`; everything above them is the same.
 * @module
 */
import type { EncryptionCurve, SigningCurve } from '@causeway/guest-sdk/protocol'

/** Which deployment on which network; the three together are its identity. */
export interface DeploymentLabel {
  originKind: string
  /** Raw bytes of the owner's account identifier. */
  source: Uint8Array
  id: string
}

/** Private keys by purpose and curve: 32 bytes each, the BIP-32 master seed 64. */
export interface PrivateKeys {
  signing: Record<SigningCurve, Uint8Array>
  encryption: Record<EncryptionCurve, Uint8Array>
  hdSeed: Uint8Array
}

/** Keys that a `keys` file gives; every one is optional. */
export interface ImportedKeys {
  signing: Partial<PrivateKeys['signing']>
  encryption: Partial<PrivateKeys['encryption']>
  hdSeed?: Uint8Array
}

/** Where a key lies: the signing and encryption keys, then {@link maxDerived} HD keys. */
export const slots = {
  signing: { p256: 0, secp256k1: 1, ed25519: 2 },
  encryption: { p256: 3, secp256k1: 4 },
  firstDerived: 5,
} as const

/** HD keys held at once. */
export const maxDerived = 1024

/** One side's view of an agreement. */
export interface Agreement {
  /** The peer's encryption key, 33 or 65 bytes; one's own is allowed. */
  peerPublicKey: Uint8Array
  /** HKDF salt, any length. */
  salt: Uint8Array
}

/** Why bytes were not taken. DECRYPT_FAILED has no closer reason, so that it is no oracle. */
export type Refusal = 'BAD_PUBLIC_KEY' | 'DECRYPT_FAILED'

/** Private keys of one deployment. They leave it by `exportKeys` only. */
export interface SecretKeys {
  /** SEC1 compressed (33 bytes), or the 32 bytes of an ed25519 key. */
  publicKey(slot: number): Uint8Array
  /**
   * 64 bytes. p256, secp256k1: RFC 6979 over exactly the 32 bytes given, raw `r‖s`, low s on both,
   * because common verifiers refuse the other half. ed25519: RFC 8032 over the message.
   */
  sign(slot: number, bytes: Uint8Array): Uint8Array
  /** `iv(12) ‖ AES-256-GCM ciphertext ‖ tag(16)`, no additional data. */
  encrypt(slot: number, agreement: Agreement, plaintext: Uint8Array): Uint8Array | Refusal
  /** The plaintext of what `encrypt` made on either side. */
  decrypt(slot: number, agreement: Agreement, sealed: Uint8Array): Uint8Array | Refusal
  /** Puts the BIP-32 key at the child indexes (hardened: top bit set) into an HD slot. */
  derive(slot: number, indexes: readonly number[]): void
  /** Copies of the keys, for moving the deployment to another host; the caller zeroes them. */
  exportKeys(): PrivateKeys
  /** Zeroes the keys; the object must not be used again. */
  destroy(): void
}

/** The host's root secret. */
export interface RootKeys {
  /** Public key of the processor's account, ed25519, 32 bytes. */
  readonly account: Uint8Array
  /** A deployment's keys: derived, with imported ones in their place, which are zeroed. */
  deriveKeys(label: DeploymentLabel, imported: ImportedKeys): SecretKeys
  /** A symmetric secret of 32 bytes for the host's own use; the caller zeroes it. */
  deriveSecret(label: DeploymentLabel | 'host', purpose: string, algorithm: string): Buffer
  /** `iv(12) ‖ AES-256-GCM ciphertext ‖ tag(16)` under a key of its own for the purpose. */
  seal(use: SealUse, additional: Uint8Array, plaintext: Uint8Array): Buffer
  /** The plaintext, for the caller to zero; undefined when it was not sealed so. */
  unseal(use: SealUse, additional: Uint8Array, sealed: Uint8Array): Buffer | undefined
  /** Zeroes the secret; the object must not be used again. */
  destroy(): void
}

/** Whose secrets are sealed, and what for. */
export interface SealUse {
  label: DeploymentLabel
  purpose: string
}

/** One implementation of the signer, chosen at start. */
export interface SignerBackend {
  readonly name: 'native' | 'portable'
  /** Libraries and versions, for a person. */
  readonly detail: string
  /** What a key operation costs beside one of the native backend. */
  readonly cost: number
  readonly isPrivateKey: (curve: SigningCurve, key: Uint8Array) => boolean
  /** Whether no key can be swapped out. */
  isMemoryLocked(): boolean
  /** Copies the 32 bytes; the caller zeroes its own. */
  openRoot(secret: Uint8Array): RootKeys
  /** Takes the keys over; they are zeroed at the latest with the result. */
  openKeys(keys: PrivateKeys): SecretKeys
}
