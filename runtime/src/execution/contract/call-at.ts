/**
 * A call at a time of the clock, however far away, also when the clock is set or the host sleeps.
 * @module
 */

// Timers count no sleep of the host and hold 24 days at most: so it looks again and again.
const longestWaitMs = 60_000

/**
 * Calls once the clock shows `time` (Unix ms) or later; never without a time.
 * @returns how to call it off
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
