/**
 * CPU time of a function, as `openssl speed` counts it: other processes on the core do not count.
 * @module
 */
import type { Operation } from './operations.ts'

// Enough for compilers to have seen everything.
const warmUpSeconds = 0.3
const measureSeconds = 0.25
// Operations between two reads of the clock.
const batch = 16

/** µs per operation, all threads of this process together. */
export function cpuTimeUs(operation: Operation): number {
  const first = repeat(operation, 0, warmUpSeconds)
  const { count, spentUs } = repeat(operation, first.count, measureSeconds)
  return spentUs / count
}

function repeat(operation: Operation, firstTurn: number, seconds: number) {
  const before = process.cpuUsage()
  let [count, spentUs] = [0, 0]
  while (spentUs < seconds * 1e6) {
    for (let index = 0; index < batch; index++) operation(firstTurn + count++)
    const { user, system } = process.cpuUsage(before)
    spentUs = user + system
  }
  return { count, spentUs }
}
