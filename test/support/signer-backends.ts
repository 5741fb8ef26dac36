/**
 * The signer backends under test, and keys to put into them.
 * @module
 */
import { nativeBackend } from '../../runtime/src/signer/native-backend.ts'
import { portableBackend } from '../../runtime/src/signer/portable/backend.ts'
import type {
  ImportedKeys,
  PrivateKeys,
  SecretKeys,
  SignerBackend,
} from '../../runtime/src/signer/backend.ts'

/** The native backend, on the machine that runs the tests. */
export const native: SignerBackend = nativeBackend()
export const portable: SignerBackend = portableBackend

export const backends = [native, portable]

/** Opens keys of a deployment; those not given are fixed. */
export function openKeys(backend: SignerBackend, keys: ImportedKeys): SecretKeys {
  return backend.openKeys(completeKeys(keys))
}

/** Fills in missing keys, in new arrays: a backend zeroes the arrays that it gets. */
export function completeKeys({ signing, encryption, hdSeed }: ImportedKeys): PrivateKeys {
  const copy = (key: Uint8Array | undefined) => key?.slice() ?? new Uint8Array(32).fill(0x77)
  return {
    signing: {
      p256: copy(signing.p256),
      secp256k1: copy(signing.secp256k1),
      ed25519: copy(signing.ed25519),
    },
    encryption: { p256: copy(encryption.p256), secp256k1: copy(encryption.secp256k1) },
    hdSeed: hdSeed?.slice() ?? new Uint8Array(64).fill(0x77),
  }
}
