/**
 * One deployment's private keys, equal in every run.
 * @module
 */
import type { PrivateKeys } from '../../runtime/src/signer/backend.ts'

/** New arrays each time: a keyring zeroes the arrays that it gets. */
export function fixedKeys(): PrivateKeys {
  return {
    signing: { p256: filled(0x11), secp256k1: filled(0x22), ed25519: filled(0x33) },
    encryption: { p256: filled(0x44), secp256k1: filled(0x55) },
    hdSeed: new Uint8Array(64).fill(0x66),
  }
}

function filled(byte: number): Uint8Array {
  return new Uint8Array(32).fill(byte)
}
