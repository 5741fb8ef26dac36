/**
 * Random bytes from a pool: one call of the generator costs as much as to encode a query.
 * @module
 */
import { randomFillSync } from 'node:crypto'

const poolBytes = 8192

/** Returns bytes that no other call gets. Use them at once: a new pool overwrites them. */
export function createRandomBytes(): (count: number) => Buffer {
  const pool = Buffer.allocUnsafeSlow(poolBytes)
  let used = poolBytes
  return (count) => {
    if (used + count > poolBytes) {
      randomFillSync(pool)
      used = 0
    }
    used += count
    return pool.subarray(used - count, used)
  }
}
