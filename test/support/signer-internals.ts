/**
 * Builds the native signer's inner functions into an addon of their own, so that vectors reach them
 * which no deployment's keys would.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { buildAddon } from './built-addon.ts'

export interface SignerInternals {
  /** Numbers of 32 bytes one after another → their inverses modulo P-256's order. */
  invert(numbers: Uint8Array): Buffer
  hkdf(secret: Uint8Array, salt: Uint8Array, info: Uint8Array, length: number): Buffer
  hmacSha256(key: Uint8Array, message: Uint8Array): Buffer
  hmacSha512(key: Uint8Array, message: Uint8Array): Buffer
  seal(key: Uint8Array, plaintext: Uint8Array): Buffer
  /** Undefined when the tag is wrong. */
  unseal(key: Uint8Array, sealed: Uint8Array): Buffer | undefined
  /** What is left of 32 secret bytes at the end of their scope. */
  secretRemains(): Buffer
}

const pathOf = (name: string) => fileURLToPath(new URL(name, import.meta.url))
const sources = ['inverse', 'hmac', 'cipher'].map((name) =>
  pathOf(`../../native/src/signer/${name}.cc`),
)

export function buildInternals(): SignerInternals {
  const files = [pathOf('signer-internals.cc'), ...sources]
  return buildAddon(files, 'signer', '-DOPENSSL_SUPPRESS_DEPRECATED')
}
