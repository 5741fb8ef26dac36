import { checkBytes, checkObject, checkString } from './arguments.ts'
import type { Call, CallOptions } from './call.ts'
import { fromHex, toHex } from './hex.ts'
import type {
  CipherParams,
  EncryptionCurve,
  PublicKeyParams,
  SignParams,
} from './protocol/index.ts'

/** Selects a key for signing. */
export type KeySelector = PublicKeyParams

/** Input of `sign`. */
export interface SignInput extends KeySelector {
  /** p256, secp256k1: the 32-byte digest, signed without hashing. ed25519: the whole message. */
  bytes: Uint8Array
}

/** Input of `encrypt` and `decrypt`. */
export interface CipherInput {
  curve: EncryptionCurve
  /** The peer's encryption key, 33 or 65 bytes. */
  publicKey: Uint8Array
  /** HKDF salt of any length; both sides must use the same. */
  salt: Uint8Array
  /** Plaintext, or the output of `encrypt`. */
  bytes: Uint8Array
}

/** Keys that the job may use but never sees. */
export interface Signer {
  /** The signing key, or the HD key at a path (`signer_publicKey`). */
  publicKey(key: KeySelector, options?: CallOptions): Promise<Uint8Array>
  /**
   * 64 bytes: raw `r||s` with low s, or an ed25519 signature (`signer_sign`).
   * @example
   * const digest = createHash('sha256').update(message).digest()
   * const signature = await bridge.signer.sign({ curve: 'p256', bytes: digest })
   */
  sign(input: SignInput, options?: CallOptions): Promise<Uint8Array>
  /** `iv(12) || ciphertext || tag(16)` for the owner of `publicKey` (`signer_encrypt`). */
  encrypt(input: CipherInput, options?: CallOptions): Promise<Uint8Array>
  /** Decrypts what the owner of `publicKey` encrypted for this deployment (`signer_decrypt`). */
  decrypt(input: CipherInput, options?: CallOptions): Promise<Uint8Array>
}

export function createSigner(call: Call): Signer {
  return {
    publicKey: async (key, options) =>
      fromHex((await call('signer_publicKey', [selector(key)], options)).publicKey),
    sign: async (input, options) =>
      fromHex((await call('signer_sign', [signParams(input)], options)).bytes),
    encrypt: async (input, options) =>
      fromHex((await call('signer_encrypt', [cipherParams(input)], options)).bytes),
    decrypt: async (input, options) =>
      fromHex((await call('signer_decrypt', [cipherParams(input)], options)).bytes),
  }
}

function selector(key: KeySelector): PublicKeyParams {
  checkObject('input', key)
  checkString('curve', key.curve)
  if (key.derivationPath !== undefined) checkString('derivationPath', key.derivationPath)
  return key
}

function signParams(input: SignInput): SignParams {
  selector(input)
  const { curve, bytes } = input
  checkBytes('bytes', bytes)
  if (curve !== 'ed25519' && bytes.length !== 32) {
    throw new RangeError(
      `bytes: ${curve} signs a digest of 32 bytes, found ${bytes.length}; hash the message first`,
    )
  }
  return { ...input, bytes: toHex(bytes) }
}

function cipherParams(input: CipherInput): CipherParams {
  checkObject('input', input)
  const { curve, publicKey, salt, bytes } = input
  checkString('curve', curve)
  checkBytes('publicKey', publicKey)
  checkBytes('salt', salt)
  checkBytes('bytes', bytes)
  return { curve, publicKey: toHex(publicKey), salt: toHex(salt), bytes: toHex(bytes) }
}
