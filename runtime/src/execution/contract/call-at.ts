/**
 * Calls a function at a clock time, however far away, even if the clock is set or the host sleeps.
 * @module
 */

// Timers ignore sleep of the host and take at most 24 days, so the clock is read again and again.
const longestWaitMs = 60_000

/**
 * Calls once the clock shows `time` (Unix ms) or later; never without a time.
 * @returns how to cancel
 */
export function callAt(time: number | undefined, call: () => void): { cancel(): void } {
  let timer: NodeJS.Timeout | undefined
  const look = () => {
    const left = (time ?? Infinity) - Date.now()
    if (left <= 0) return call()
    timer = setTimeout(look, Math.min(left, longestWaitMs))
  }
  if (time !== undefined) look()
  return { cancel: () => clearTimeout(timer) }
}
