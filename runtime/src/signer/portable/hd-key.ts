/** Derives BIP-32 keys from a master seed. @module */
import { HDKey } from '@scure/bip32'

/** Private key at the child indexes (hardened: top bit set), 32 bytes. */
export function deriveHdKey(seed: Uint8Array, indexes: readonly number[]): Uint8Array {
  let key = HDKey.fromMasterSeed(seed)
  for (const index of indexes) {
    const child = key.deriveChild(index)
    key.wipePrivateData()
    key = child
  }
  const privateKey = Uint8Array.from(key.privateKey ?? [])
  key.wipePrivateData()
  return privateKey
}
