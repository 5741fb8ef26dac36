/**
 * The contract of a signer backend, which keeps a deployment's private keys and computes with them.
 * `native` and `portable` implement it; the rest of the signer works with either.
 * @module
 */
import type { EncryptionCurve, SigningCurve } from '@causeway/guest-sdk/protocol'
import type {
  SignerAgreement as Agreement,
  SignerHandle,
  SignerRefusal as Refusal,
} from '@causeway/native'

export type { Agreement, Refusal }

/** Identity of a deployment; no two deployments share all three fields. */
export interface DeploymentLabel {
  originKind: string
  /** Raw bytes of the owner's account identifier. */
  source: Uint8Array
  id: string
}

/** Private keys by purpose and curve: 32 bytes each; the BIP-32 master seed has 64. */
export interface PrivateKeys {
  signing: Record<SigningCurve, Uint8Array>
  encryption: Record<EncryptionCurve, Uint8Array>
  hdSeed: Uint8Array
}

/** Keys from a `keys` file; every one is optional. */
export interface ImportedKeys {
  signing: Partial<PrivateKeys['signing']>
  encryption: Partial<PrivateKeys['encryption']>
  hdSeed?: Uint8Array
}

/** Slot numbers: first the signing and encryption keys, then up to {@link maxDerived} HD keys. */
export const slots = {
  signing: { p256: 0, secp256k1: 1, ed25519: 2 },
  encryption: { p256: 3, secp256k1: 4 },
  firstDerived: 5,
} as const

/** Most HD keys kept at once. */
export const maxDerived = 1024

/** Private keys of one deployment. Only `exportKeys` returns them. */
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
  /** Opens what `encrypt` made with the same pair of keys, on either side. */
  decrypt(slot: number, agreement: Agreement, sealed: Uint8Array): Uint8Array | Refusal
  /** Derives the BIP-32 key at the child indexes (hardened: top bit set) into an HD slot. */
  derive(slot: number, indexes: readonly number[]): void
  /** A copy of a signing key for native code; only the native backend has one. */
  openHandle?(slot: number): SignerHandle
  /** Copies of the keys, for moving the deployment to another host; the caller zeroes them. */
  exportKeys(): PrivateKeys
  /** Zeroes the keys; the object must not be used again. */
  destroy(): void
}

/** The host's root secret. */
export interface RootKeys {
  /** Public key of the processor's account, ed25519, 32 bytes. */
  readonly account: Uint8Array
  /** A deployment's derived keys; an imported key replaces the derived one. Zeroes `imported`. */
  deriveKeys(label: DeploymentLabel, imported: ImportedKeys): SecretKeys
  /** Derives a symmetric secret of 32 bytes for the host's own use; the caller zeroes it. */
  deriveSecret(label: DeploymentLabel | 'host', purpose: string, algorithm: string): Buffer
  /** `iv(12) ‖ AES-256-GCM ciphertext ‖ tag(16)`; each label and purpose has its own key. */
  seal(use: SealUse, additional: Uint8Array, plaintext: Uint8Array): Buffer
  /** The plaintext, which the caller zeroes; undefined when key or additional data do not match. */
  unseal(use: SealUse, additional: Uint8Array, sealed: Uint8Array): Buffer | undefined
  /** Zeroes the secret; the object must not be used again. */
  destroy(): void
}

/** The owner of a sealed secret, and its purpose. */
export interface SealUse {
  label: DeploymentLabel
  purpose: string
}

/** One implementation of the signer, chosen at start. */
export interface SignerBackend {
  readonly name: 'native' | 'portable'
  /** Libraries and versions, as text for people. */
  readonly detail: string
  /** How many times as expensive a key operation is as with the native backend. */
  readonly cost: number
  readonly isPrivateKey: (curve: SigningCurve, key: Uint8Array) => boolean
  /** Whether the memory with the keys is locked, so that it is never swapped out. */
  isMemoryLocked(): boolean
  /** Copies the 32 bytes; the caller zeroes the original. */
  openRoot(secret: Uint8Array): RootKeys
  /** Takes ownership of the keys and zeroes them no later than on `destroy` of the result. */
  openKeys(keys: PrivateKeys): SecretKeys
}
