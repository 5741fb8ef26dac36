/** Value types that several families of methods share. @module */

/** Bytes as hex. The host sends lower case without `0x` and accepts any case with `0x`, `0X` or neither. */
export type Hex = string

/** Curves a job may sign on (bridge spec, Signer methods). */
export const signingCurves = ['p256', 'secp256k1', 'ed25519'] as const
export type SigningCurve = (typeof signingCurves)[number]

/** Curves a job may encrypt and decrypt with. */
export const encryptionCurves = ['p256', 'secp256k1'] as const
export type EncryptionCurve = (typeof encryptionCurves)[number]
