/**
 * Values that several families of methods share.
 * @module
 */

/** Bytes on the wire: hex digits of even length. Out: lower case without `0x`; in: either case, optional `0x`. */
export type Hex = string

/** Curves a job may sign on (bridge spec, Signer methods). */
export const signingCurves = ['p256', 'secp256k1', 'ed25519'] as const
export type SigningCurve = (typeof signingCurves)[number]

/** Curves a job may encrypt and decrypt with. */
export const encryptionCurves = ['p256', 'secp256k1'] as const
export type EncryptionCurve = (typeof encryptionCurves)[number]
