/** Token bucket: limits the rate per second and the burst. @module */

/**
 * Takes tokens, one by default; at most a burst.
 * @returns 0, or the time until there are enough tokens, in ms rounded up
 */
export type TakeTokens = (count?: number) => number

/** @param now monotonic clock, ms */
export function createTokenBucket(
  { perSecond, burst }: { perSecond: number; burst: number },
  now: () => number = () => performance.now(),
): TakeTokens {
  if (perSecond === Infinity) return () => 0
  let tokens = burst
  let filledAt = now()
  return (count = 1) => {
    const wanted = Math.min(count, burst)
    const time = now()
    tokens = Math.min(burst, tokens + ((time - filledAt) * perSecond) / 1000)
    filledAt = time
    if (tokens < wanted) return Math.ceil(((wanted - tokens) * 1000) / perSecond)
    tokens -= wanted
    return 0
  }
}
