/**
 * The native backend: keys live in native memory. JavaScript passes them in arrays that are zeroed
 * afterwards, and never sees what is computed with them.
 * @module
 */
import { loadSigner, type SignerKeys, type SignerRoot } from '@causeway/native'
import { orUndoNow } from '@causeway/service/failure'
import { wipeImported } from './imported/imported-keys.ts'
import { derivationInfo, labelPrefix, sealingInfo } from './labels.ts'
import {
  slots,
  type ImportedKeys,
  type PrivateKeys,
  type RootKeys,
  type SecretKeys,
  type SignerBackend,
} from './backend.ts'

/** @throws Error with code `ERR_NATIVE_NOT_BUILT` when the native addon is not built */
export function nativeBackend(): SignerBackend {
  const signer = loadSigner()
  return {
    name: 'native',
    detail: `OpenSSL ${signer.opensslVersion} in Node, libsecp256k1`,
    cost: 1,
    isPrivateKey: (curve, key) => signer.isPrivateKey(slots.signing[curve], key),
    isMemoryLocked: () => signer.isMemoryLocked(),
    openRoot: (secret) => wrapRoot(signer.openRoot(secret)),
    openKeys: (keys) => withKeys(() => signer.openKeys(), keys),
  }
}

function wrapRoot(root: SignerRoot): RootKeys {
  return {
    account: root.account(),
    deriveKeys: (label, imported) => withKeys(() => root.deriveKeys(labelPrefix(label)), imported),
    deriveSecret: (label, purpose, algorithm) =>
      root.deriveSecret(derivationInfo(label, purpose, algorithm)),
    seal: (use, additional, plaintext) => root.seal(sealingInfo(use), additional, plaintext),
    unseal: (use, additional, sealed) => root.unseal(sealingInfo(use), additional, sealed),
    destroy: () => root.destroy(),
  }
}

/** Replaces opened keys by the given ones, and zeroes the given arrays in every case. */
function withKeys(open: () => SignerKeys, given: ImportedKeys): SecretKeys {
  try {
    const keys = open()
    orUndoNow(
      () => replaceKeys(keys, given),
      () => keys.destroy(),
    )
    return wrapKeys(keys)
  } finally {
    wipeImported(given)
  }
}

function replaceKeys(keys: SignerKeys, { signing, encryption, hdSeed }: ImportedKeys): void {
  const { p256, secp256k1, ed25519 } = signing
  replace(keys, slots.signing.p256, p256)
  replace(keys, slots.signing.secp256k1, secp256k1)
  replace(keys, slots.signing.ed25519, ed25519)
  replace(keys, slots.encryption.p256, encryption.p256)
  replace(keys, slots.encryption.secp256k1, encryption.secp256k1)
  if (hdSeed) keys.setHdSeed(hdSeed)
}

function replace(keys: SignerKeys, slot: number, key: Uint8Array | undefined): void {
  if (key && !keys.setKey(slot, key)) throw new RangeError(`not a private key of slot ${slot}`)
}

function wrapKeys(keys: SignerKeys): SecretKeys {
  return { ...keys, exportKeys: () => exportKeys(keys) }
}

function exportKeys(keys: SignerKeys): PrivateKeys {
  const { signing, encryption } = slots
  return {
    signing: {
      p256: keys.exportKey(signing.p256),
      secp256k1: keys.exportKey(signing.secp256k1),
      ed25519: keys.exportKey(signing.ed25519),
    },
    encryption: {
      p256: keys.exportKey(encryption.p256),
      secp256k1: keys.exportKey(encryption.secp256k1),
    },
    hdSeed: keys.exportHdSeed(),
  }
}
