/** Imported keys: a `keys` file supplies them, and they replace derived ones. @module */
import { decodeKeysFile, type KeyCheck } from './keys-file.ts'
import { StartError } from '../../errors/start-error.ts'
import { wiping } from '../secret-bytes.ts'
import { readSecretFile } from '../secret-file.ts'
import type { ImportedKeys } from '../backend.ts'

export type { ImportedKeys } from '../backend.ts'

const maxBytes = 64 * 1024

/** For deployments that import no key. */
export const noKeys: ImportedKeys = Object.freeze({ signing: {}, encryption: {} })

/** Reads a `keys` file of mode 0600. @throws Error naming file and field, never a value. */
export function readImportedKeys(file: string, isPrivateKey: KeyCheck): ImportedKeys {
  const content = readSecretFile(file, { maxBytes })
  return wiping(content, () => decodeKeysFile(file, content, isPrivateKey))
}

/** @throws StartError KEYS_INVALID with the message of what `read` throws */
export function orKeysInvalid<T>(read: () => T): T {
  try {
    return read()
  } catch (cause) {
    throw new StartError('KEYS_INVALID', (cause as Error).message, { cause })
  }
}

/** Merges two sets of keys. `first` wins where both have a key; the losing keys are zeroed. */
export function mergeImported(first: ImportedKeys, second: ImportedKeys): ImportedKeys {
  const merged = {
    signing: { ...second.signing, ...first.signing },
    encryption: { ...second.encryption, ...first.encryption },
    ...(second.hdSeed && { hdSeed: second.hdSeed }),
    ...(first.hdSeed && { hdSeed: first.hdSeed }),
  }
  const kept = new Set(arraysOf(merged))
  for (const key of arraysOf(second)) if (!kept.has(key)) key.fill(0)
  return merged
}

/** Names of the keys that are set, such as `signing.p256` or `hdSeed`. */
export function importedNames({ signing, encryption, hdSeed }: ImportedKeys): string[] {
  return [
    ...Object.keys(signing).map((curve) => `signing.${curve}`),
    ...Object.keys(encryption).map((curve) => `encryption.${curve}`),
    ...(hdSeed ? ['hdSeed'] : []),
  ]
}

/** Zeroes every key. */
export function wipeImported(keys: ImportedKeys): void {
  for (const key of arraysOf(keys)) key.fill(0)
}

function arraysOf({ signing, encryption, hdSeed }: ImportedKeys): Uint8Array[] {
  return [...Object.values(signing), ...Object.values(encryption), ...(hdSeed ? [hdSeed] : [])]
}
