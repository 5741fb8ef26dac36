/**
 * Random bytes in small portions: one call of the generator costs as much as a query's packet.
 * @module
 */
import { randomFillSync } from 'node:crypto'

const poolBytes = 8192

/** Gives bytes that nobody else gets; good until the pool is used up, so use them at once. */
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
