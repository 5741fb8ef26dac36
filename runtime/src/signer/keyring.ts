/** One deployment's keyring: computes with its private keys and never returns one. @module */
import {
  encryptionCurves,
  signingCurves,
  type EncryptionCurve,
  type SigningCurve,
} from '@causeway/guest-sdk/protocol'
import type { SignerHandle } from '@causeway/native'
import { RpcError } from '../bridge/errors.ts'
import { checkDerivable, parseDerivationPath } from './derivation-path.ts'
import { createDerivedSlots } from './derived-slots.ts'
import { slots, type Agreement, type Refusal, type SecretKeys } from './backend.ts'

/** The peer of an encryption, and the curve of the agreement. */
export interface Peer extends Agreement {
  curve: EncryptionCurve
}

export interface Keyring {
  /** Signing keys, 33 bytes compressed; ed25519 32 bytes. */
  readonly publicKeys: Readonly<Record<SigningCurve, Uint8Array>>
  /** Encryption keys, 33 bytes compressed. */
  readonly encryptionKeys: Readonly<Record<EncryptionCurve, Uint8Array>>
  /** The signing key, or the HD key at a path. */
  publicKey(curve: SigningCurve, derivationPath?: string): Uint8Array
  /** Signature of 64 bytes over a digest or (ed25519) a message. */
  sign(curve: SigningCurve, bytes: Uint8Array, derivationPath?: string): Uint8Array
  encrypt(peer: Peer, plaintext: Uint8Array): Uint8Array
  decrypt(peer: Peer, sealed: Uint8Array): Uint8Array
  /** A copy of the p256 signing key for native code; undefined with the portable backend. */
  openHandle(): SignerHandle | undefined
  /** Zeroes the private keys; every later use fails. */
  readonly destroy: () => void
}

const digestBytes = 32

/** Takes ownership of the keys and zeroes them on `destroy`. */
export function createKeyring(keys: SecretKeys): Keyring {
  const derived = createDerivedSlots(keys)
  let destroyed = false
  const checkAlive = () => {
    if (destroyed) throw new Error('the keys have been destroyed')
  }
  const slotOf = (curve: SigningCurve, path: string | undefined) => {
    if (path === undefined) return slots.signing[curve]
    checkDerivable(curve)
    return derived.slotOf(path, () => parseDerivationPath(path))
  }
  const publicKeys = publicKeysOf(keys, signingCurves, slots.signing)
  return {
    publicKeys,
    encryptionKeys: publicKeysOf(keys, encryptionCurves, slots.encryption),
    publicKey(curve, path) {
      checkAlive()
      return path === undefined ? publicKeys[curve] : keys.publicKey(slotOf(curve, path))
    },
    sign(curve, bytes, path) {
      checkAlive()
      if (curve !== 'ed25519') checkDigest(curve, bytes)
      return keys.sign(slotOf(curve, path), bytes)
    },
    encrypt(peer, plaintext) {
      checkAlive()
      return accepted(keys.encrypt(slots.encryption[peer.curve], peer, plaintext), peer)
    },
    decrypt(peer, sealed) {
      checkAlive()
      return accepted(keys.decrypt(slots.encryption[peer.curve], peer, sealed), peer)
    },
    openHandle() {
      checkAlive()
      return keys.openHandle?.(slots.signing.p256)
    },
    destroy() {
      if (!destroyed) keys.destroy()
      destroyed = true
    },
  }
}

function checkDigest(curve: SigningCurve, { length }: Uint8Array): void {
  if (length === digestBytes) return
  throw new RpcError(
    'BAD_DIGEST_LENGTH',
    `bytes: ${curve} signs a digest of ${digestBytes} bytes, found ${length}`,
    { hint: 'hash the message first, for example with SHA-256', details: { field: 'bytes' } },
  )
}

function accepted(outcome: Uint8Array | Refusal, peer: Peer): Uint8Array {
  if (typeof outcome !== 'string') return outcome
  if (outcome === 'DECRYPT_FAILED') {
    throw new RpcError('DECRYPT_FAILED', 'the bytes could not be decrypted')
  }
  throw badPublicKey(peer)
}

function badPublicKey({ curve, peerPublicKey: { length } }: Peer): RpcError {
  const expected = `a point of ${curve} in 33 bytes (compressed) or 65 (uncompressed)`
  const found = length === 33 || length === 65 ? 'bytes that are no such point' : `${length} bytes`
  return new RpcError('BAD_PUBLIC_KEY', `publicKey: expected ${expected}, found ${found}`, {
    details: { field: 'publicKey' },
  })
}

function publicKeysOf<C extends SigningCurve>(
  keys: SecretKeys,
  curves: readonly C[],
  slotsOf: Record<C, number>,
): Record<C, Uint8Array> {
  const entries = curves.map((curve) => [curve, keys.publicKey(slotsOf[curve])])
  return Object.fromEntries(entries) as Record<C, Uint8Array>
}
