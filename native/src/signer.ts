/** Keeps private keys in locked native memory, and uses them there. @module */
import { checkInteger } from './arguments.ts'
import type { SignerHandle } from './handles/handles.ts'
import type { NativeHandle } from './handles/native-handle.ts'
import { loadAddon } from './load-addon.ts'

/** Number of HD slots of a {@link SignerKeys}, after its five keys. */
export const maxDerivedKeys = 1024

/** First HD slot; before it: signing p256, secp256k1, ed25519, encryption p256, secp256k1. */
export const firstDerivedSlot = 5

const p256Slot = 0
const ed25519Slot = 2
const firstEncryptionSlot = 3
const lastSlot = firstDerivedSlot + maxDerivedKeys - 1
const keyBytes = 32
const hdSeedBytes = 64
const signatureBytes = 64
const pointBytes = 33
const sealedOverhead = 28

/** Why bytes were refused. DECRYPT_FAILED has no details: they would be an oracle for attackers. */
export type SignerRefusal = 'BAD_PUBLIC_KEY' | 'DECRYPT_FAILED'

/** Inputs of a key agreement, beside our own private key. */
export interface SignerAgreement {
  /** The peer's encryption key: SEC1 point, 33 or 65 bytes; a deployment may be its own peer. */
  peerPublicKey: Uint8Array
  /** HKDF salt, any length. */
  salt: Uint8Array
}

/** The host's root secret. */
export interface SignerRoot {
  /** Public key of the processor's account, ed25519, 32 bytes. */
  account(): Uint8Array
  /** HKDF-SHA256 of the root with this info, 32 bytes; the caller zeroes them. */
  deriveSecret(info: Uint8Array): Buffer
  /** Seals to `iv(12) ‖ AES-256-GCM ciphertext ‖ tag(16)` with the key derived with this info. */
  seal(info: Uint8Array, additional: Uint8Array, plaintext: Uint8Array): Buffer
  /** The plaintext, which the caller zeroes; undefined when this root did not seal it so. */
  unseal(info: Uint8Array, additional: Uint8Array, sealed: Uint8Array): Buffer | undefined
  /** The keys of the deployment whose labels are in `prefix`. */
  deriveKeys(prefix: Uint8Array): SignerKeys
  destroy(): void
}

/** Private keys of one deployment, by slot. Every call throws once the keys are destroyed. */
export interface SignerKeys {
  /** Replaces a key by one of 32 bytes; false when it is not valid on the slot's curve. */
  setKey(slot: number, key: Uint8Array): boolean
  /** Replaces the BIP-32 master seed, 64 bytes. */
  setHdSeed(seed: Uint8Array): void
  /** Derives the BIP-32 key at the child indexes into an HD slot. */
  derive(slot: number, indexes: readonly number[]): void
  /** 33 bytes, or 32 for ed25519. */
  publicKey(slot: number): Uint8Array
  /** 64 bytes; all curves but ed25519 sign a digest of 32 bytes. */
  sign(slot: number, bytes: Uint8Array): Uint8Array
  encrypt(slot: number, agreement: SignerAgreement, plaintext: Uint8Array): Buffer | SignerRefusal
  decrypt(slot: number, agreement: SignerAgreement, sealed: Uint8Array): Buffer | SignerRefusal
  /** The key of a slot that is not an HD slot, 32 bytes; the caller zeroes them. */
  exportKey(slot: number): Buffer
  /** The BIP-32 master seed, 64 bytes; the caller zeroes them. */
  exportHdSeed(): Buffer
  /**
   * A copy of the p256 signing key, for other native addons; it stays when the key is replaced.
   *
   * @param slot 0
   */
  openHandle(slot: number): SignerHandle
  /** Zeroes every key, and closes the handles. */
  destroy(): void
}

/** The native signer of this process. */
export interface NativeSigner {
  /** Version of the OpenSSL inside this Node. */
  readonly opensslVersion: string
  /** Whether the memory of every key so far is locked, so that none is ever swapped out. */
  isMemoryLocked(): boolean
  /** Whether 32 bytes are a private key of the slot's curve. */
  isPrivateKey(slot: number, key: Uint8Array): boolean
  /** Copies the 32 bytes of the root secret. */
  openRoot(secret: Uint8Array): SignerRoot
  /** Keys whose slots are all empty. */
  openKeys(): SignerKeys
}

interface SignerAddon {
  opensslVersion: string
  isMemoryLocked(): boolean
  isPrivateKey(slot: number, key: Uint8Array): boolean
  SignerRoot: new (secret: Uint8Array) => RawRoot
  SignerKeys: new () => RawKeys
}

interface RawRoot {
  account(into: Uint8Array): boolean
  deriveSecret(info: Uint8Array, into: Uint8Array): boolean
  seal(info: Uint8Array, additional: Uint8Array, plaintext: Uint8Array, into: Uint8Array): boolean
  unseal: RawRoot['seal']
  destroy(): void
}

/** Calls return whether they succeeded; `encrypt` and `decrypt` an index of `outcomes`. */
interface RawKeys {
  deriveFrom(root: RawRoot, prefix: Uint8Array): boolean
  setKey(slot: number, key: Uint8Array): boolean
  setHdSeed(seed: Uint8Array): boolean
  derive(slot: number, indexes: Uint32Array): boolean
  publicKey(slot: number, into: Uint8Array): boolean
  sign(slot: number, bytes: Uint8Array, into: Uint8Array): boolean
  encrypt(
    slot: number,
    peer: Uint8Array,
    salt: Uint8Array,
    bytes: Uint8Array,
    into: Uint8Array,
  ): number
  decrypt: RawKeys['encrypt']
  exportKey(slot: number, into: Uint8Array): boolean
  exportHdSeed(into: Uint8Array): boolean
  openHandle(slot: number): NativeHandle<'signer'> | undefined
  handleUses(handle: NativeHandle<'signer'>): [number, number, number]
  closeHandle(handle: NativeHandle<'signer'>): void
  destroy(): void
}

/**
 * Loads the signer.
 *
 * @throws Error with code `ERR_NATIVE_NOT_BUILT` when it is missing, or this Node lacks the
 *   OpenSSL, or the host the libsecp256k1, that it needs.
 */
export function loadSigner(): NativeSigner {
  const addon = loadAddon<SignerAddon>('bridge_signer.node')
  return {
    opensslVersion: addon.opensslVersion,
    isMemoryLocked: () => addon.isMemoryLocked(),
    isPrivateKey: (slot, key) => {
      checkSlot(slot)
      return key.length === keyBytes && addon.isPrivateKey(slot, key)
    },
    openRoot: (secret) => openRoot(addon, secret),
    openKeys: () => wrapKeys(new addon.SignerKeys()),
  }
}

function openRoot(addon: SignerAddon, secret: Uint8Array): SignerRoot {
  checkLength(secret, 'secret', keyBytes)
  const root = new addon.SignerRoot(secret)
  return {
    account: () => filled(keyBytes, (into) => root.account(into)),
    deriveSecret: (info) => filled(keyBytes, (into) => root.deriveSecret(info, into)),
    seal(info, additional, plaintext) {
      const size = plaintext.length + sealedOverhead
      return filled(size, (into) => root.seal(info, additional, plaintext, into))
    },
    unseal(info, additional, sealed) {
      if (sealed.length < sealedOverhead) return undefined
      const plaintext = Buffer.alloc(sealed.length - sealedOverhead)
      return root.unseal(info, additional, sealed, plaintext) ? plaintext : undefined
    },
    deriveKeys(prefix) {
      const keys = new addon.SignerKeys()
      check(keys.deriveFrom(root, prefix))
      return wrapKeys(keys)
    },
    destroy: () => root.destroy(),
  }
}

function wrapKeys(keys: RawKeys): SignerKeys {
  return {
    setKey(slot, key) {
      checkInteger(slot, 'slot', 0, firstDerivedSlot - 1)
      checkLength(key, 'key', keyBytes)
      return keys.setKey(slot, key)
    },
    setHdSeed(seed) {
      checkLength(seed, 'seed', hdSeedBytes)
      check(keys.setHdSeed(seed))
    },
    derive(slot, indexes) {
      checkInteger(slot, 'slot', firstDerivedSlot, lastSlot)
      check(keys.derive(slot, Uint32Array.from(indexes)))
    },
    publicKey(slot) {
      checkSlot(slot)
      const bytes = slot === ed25519Slot ? keyBytes : pointBytes
      return filled(bytes, (into) => keys.publicKey(slot, into))
    },
    sign(slot, bytes) {
      checkSlot(slot)
      const signature = Buffer.allocUnsafe(signatureBytes)
      check(keys.sign(slot, bytes, signature))
      return signature
    },
    encrypt(slot, { peerPublicKey, salt }, plaintext) {
      checkEncryptionSlot(slot)
      const sealed = Buffer.allocUnsafe(plaintext.length + sealedOverhead)
      return outcome(keys.encrypt(slot, peerPublicKey, salt, plaintext, sealed), sealed)
    },
    decrypt(slot, { peerPublicKey, salt }, sealed) {
      checkEncryptionSlot(slot)
      const plaintext = Buffer.allocUnsafe(Math.max(0, sealed.length - sealedOverhead))
      return outcome(keys.decrypt(slot, peerPublicKey, salt, sealed, plaintext), plaintext)
    },
    exportKey(slot) {
      checkInteger(slot, 'slot', 0, firstDerivedSlot - 1)
      return filled(keyBytes, (into) => keys.exportKey(slot, into))
    },
    exportHdSeed: () => filled(hdSeedBytes, (into) => keys.exportHdSeed(into)),
    openHandle(slot) {
      checkInteger(slot, 'slot', p256Slot, p256Slot)
      return wrapHandle(keys, keys.openHandle(slot))
    },
    destroy: () => keys.destroy(),
  }
}

/** @param keys kept with it: they would close it when they are collected */
function wrapHandle(keys: RawKeys, handle: NativeHandle<'signer'> | undefined): SignerHandle {
  check(handle !== undefined)
  return {
    handle,
    uses() {
      const [registration, certificate, handshake] = keys.handleUses(handle)
      return { registration, certificate, handshake }
    },
    close: () => keys.closeHandle(handle),
  }
}

/** In the same order as `Outcome` in src/signer/keys.h. */
const refusals = [undefined, 'BAD_PUBLIC_KEY', 'DECRYPT_FAILED'] as const

function outcome(index: number, bytes: Buffer): Buffer | SignerRefusal {
  check(index < refusals.length)
  return refusals[index] ?? bytes
}

/** Allocates outside Node's pool: zeroing the bytes must not race with other users of the pool. */
function filled(size: number, fill: (into: Uint8Array) => boolean): Buffer {
  const bytes = Buffer.alloc(size)
  check(fill(bytes))
  return bytes
}

/** The arguments have been checked: only OpenSSL can fail now, or the keys are destroyed. */
function check(isDone: boolean): asserts isDone {
  if (!isDone) throw new Error('the native signer failed, or its keys have been destroyed')
}

function checkSlot(slot: number): void {
  checkInteger(slot, 'slot', 0, lastSlot)
}

function checkEncryptionSlot(slot: number): void {
  checkInteger(slot, 'slot', firstEncryptionSlot, firstDerivedSlot - 1)
}

function checkLength(bytes: Uint8Array, name: string, length: number): void {
  if (!(bytes instanceof Uint8Array)) throw new TypeError(`${name} must be a Uint8Array`)
  if (bytes.length === length) return
  throw new RangeError(`${name} must have ${length} bytes, got ${bytes.length}`)
}
