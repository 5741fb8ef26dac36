import type { EncryptionCurve, Hex, SigningCurve } from './values.ts'

export interface PublicKeyParams {
  curve: SigningCurve
  /** BIP-32 path such as `m/44'/60'/0'/0/0` (`'`, `h` or `H` = hardened), depth 10 at most; secp256k1 only. */
  derivationPath?: string
}

export interface SignParams extends PublicKeyParams {
  /** p256, secp256k1: the 32-byte digest, signed as it is. ed25519: the whole message, any length. */
  bytes: Hex
}

export interface CipherParams {
  curve: EncryptionCurve
  /** The peer's encryption key, SEC1 compressed (33 bytes) or uncompressed (65 bytes). */
  publicKey: Hex
  /** HKDF salt, any length. */
  salt: Hex
  /** To encrypt: plaintext, may be empty. To decrypt: `iv(12) || ciphertext || tag(16)`. */
  bytes: Hex
}

export interface SignerMethods {
  /** The deployment's signing key, or the HD key at a path. */
  signer_publicKey: {
    params: [PublicKeyParams]
    /** `derivationPath` is echoed if it was given. */
    result: { publicKey: Hex; derivationPath?: string }
  }
  /** Signature of 64 bytes: raw `r||s` with low s (p256, secp256k1), RFC 8032 (ed25519). */
  signer_sign: { params: [SignParams]; result: { bytes: Hex } }
  /** Encrypts to a peer with the deployment's encryption key: `iv(12) || ciphertext || tag(16)`. */
  signer_encrypt: { params: [CipherParams]; result: { bytes: Hex } }
  /** Decrypts what a peer encrypted to the deployment's encryption key. */
  signer_decrypt: { params: [CipherParams]; result: { bytes: Hex } }
}
