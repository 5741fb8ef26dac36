/**
 * One deployment's keys: used here, never handed out.
 * @module
 */
import {
  encryptionCurves,
  signingCurves,
  type EncryptionCurve,
  type SigningCurve,
} from '@causeway/guest-sdk/protocol'
import { decrypt, encrypt, type Agreement } from './cipher.ts'
import { publicKeyOf, sign } from './curves.ts'
import type { PrivateKeys } from './derivation.ts'
import { parseDerivationPath } from './derivation-path.ts'
import { createHdKeys } from './hd-keys.ts'

/** The other side of an encryption. */
export type Peer = Omit<Agreement, 'privateKey'>

/** What may be done with a deployment's keys. */
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
  /** Zeroes the private keys; every later use fails. */
  destroy(): void
}

/** Takes over the private keys and zeroes them on `destroy`. */
export function createKeyring({ signing, encryption, hdSeed }: PrivateKeys): Keyring {
  const hd = createHdKeys(hdSeed)
  let destroyed = false
  const checkAlive = () => {
    // Zeros are no key of p256 or secp256k1, but they are one of ed25519.
    if (destroyed) throw new Error('the keys have been destroyed')
  }
  const select = (curve: SigningCurve, path: string | undefined) => {
    checkAlive()
    return path === undefined ? signing[curve] : hd.privateKey(parseDerivationPath(path, curve))
  }
  const agreement = (peer: Peer) => {
    checkAlive()
    return { ...peer, privateKey: encryption[peer.curve] }
  }
  return {
    publicKeys: publicKeysOf(signingCurves, signing),
    encryptionKeys: publicKeysOf(encryptionCurves, encryption),
    publicKey: (curve, path) => publicKeyOf(curve, select(curve, path)),
    sign: (curve, bytes, path) => sign(curve, select(curve, path), bytes),
    encrypt: (peer, plaintext) => encrypt(agreement(peer), plaintext),
    decrypt: (peer, sealed) => decrypt(agreement(peer), sealed),
    destroy() {
      destroyed = true
      hd.destroy()
      const keys = [...Object.values(signing), ...Object.values(encryption), hdSeed]
      for (const key of keys) key.fill(0)
    },
  }
}

function publicKeysOf<C extends SigningCurve>(
  curves: readonly C[],
  privateKeys: Record<C, Uint8Array>,
): Record<C, Uint8Array> {
  const entries = curves.map((curve) => [curve, publicKeyOf(curve, privateKeys[curve])])
  return Object.fromEntries(entries) as Record<C, Uint8Array>
}
