/**
 * BIP-32 keys below a master seed, derived once per path.
 * @module
 */
import { HDKey } from '@scure/bip32'

const maxCached = 1024

/** Derives child private keys; holds secrets until `destroy`. */
export interface HdKeys {
  /** Private key at the child indexes, 32 bytes; belongs to the cache, never change it. */
  privateKey(indexes: readonly number[]): Uint8Array
  destroy(): void
}

/** HD keys of one deployment from its 64-byte seed. */
export function createHdKeys(seed: Uint8Array): HdKeys {
  const master = HDKey.fromMasterSeed(seed)
  const cache = new Map<string, Uint8Array>()
  return {
    privateKey(indexes) {
      const path = indexes.join('/')
      const key = cache.get(path) ?? derive(master, indexes)
      // Set anew: a Map keeps insertion order, so the first entry is the one used longest ago.
      cache.delete(path)
      cache.set(path, key)
      if (cache.size > maxCached) forgetOldest(cache)
      return key
    },
    destroy() {
      for (const key of cache.values()) key.fill(0)
      cache.clear()
      master.wipePrivateData()
    },
  }
}

function derive(master: HDKey, indexes: readonly number[]): Uint8Array {
  let key = master
  for (const index of indexes) {
    const child = key.deriveChild(index)
    if (key !== master) key.wipePrivateData()
    key = child
  }
  const privateKey = Uint8Array.from(key.privateKey ?? [])
  if (key !== master) key.wipePrivateData()
  return privateKey
}

function forgetOldest(cache: Map<string, Uint8Array>): void {
  const [oldest] = cache
  if (!oldest) return
  oldest[1].fill(0)
  cache.delete(oldest[0])
}
