/**
 * The portable backend, over noble: for hosts without the native one, and as a reference in tests.
 * @module
 */
import { derivationInfo, sealingInfo } from '../labels.ts'
import type { ImportedKeys, PrivateKeys, RootKeys, SealUse, SignerBackend } from '../backend.ts'
import { wiping } from '../secret-bytes.ts'
import { isPrivateKey, publicKeyOf } from './curves.ts'
import { deriveBytes, derivePrivateKeys } from './derivation.ts'
import { seal, unseal } from '@causeway/service/protocol'
import { createPortableKeys } from './keys.ts'

const seedBytes = 32

export const portableBackend: SignerBackend = {
  name: 'portable',
  detail: 'noble and scure in JavaScript; private keys leave copies in its heap',
  // Deriving a new path of ten levels takes 4 ms, a signature 0.3 ms.
  cost: 10,
  isPrivateKey,
  isMemoryLocked: () => false,
  openRoot: (secret) => createRoot(Uint8Array.from(secret)),
  openKeys: createPortableKeys,
}

function createRoot(secret: Uint8Array): RootKeys {
  return {
    account: deriveAccount(secret),
    deriveKeys(label, imported) {
      const keys = derivePrivateKeys(secret, label)
      replaceKeys(keys, imported)
      return createPortableKeys(keys)
    },
    deriveSecret: (label, purpose, algorithm) =>
      Buffer.from(deriveBytes(secret, derivationInfo(label, purpose, algorithm), seedBytes).buffer),
    seal: (use, additional, plaintext) =>
      withSealingKey(secret, use, (key) => seal(key, additional, plaintext)),
    unseal: (use, additional, sealed) =>
      withSealingKey(secret, use, (key) => unseal(key, additional, sealed)),
    destroy: () => secret.fill(0),
  }
}

function withSealingKey<T>(root: Uint8Array, use: SealUse, work: (key: Uint8Array) => T): T {
  return wiping(deriveBytes(root, sealingInfo(use), seedBytes), work)
}

function deriveAccount(root: Uint8Array): Uint8Array {
  const seed = deriveBytes(root, derivationInfo('host', 'account', 'ed25519'), seedBytes)
  return wiping(seed, () => publicKeyOf('ed25519', seed))
}

function replaceKeys(keys: PrivateKeys, { signing, encryption, hdSeed }: ImportedKeys): void {
  replaceEach(keys.signing, signing)
  replaceEach(keys.encryption, encryption)
  if (!hdSeed) return
  keys.hdSeed.set(hdSeed)
  hdSeed.fill(0)
}

/** Copies imported keys over derived ones, and zeroes the imported arrays. */
function replaceEach<C extends string>(
  keys: Record<C, Uint8Array>,
  imported: Partial<Record<C, Uint8Array>>,
): void {
  for (const [curve, key] of Object.entries(imported) as [C, Uint8Array][]) {
    keys[curve].set(key)
    key.fill(0)
  }
}
