/**
 * How often something may happen: so many per second in the long run, so many at once.
 * @module
 */

/**
 * Takes tokens, one by default; more than a burst count as a burst.
 * @returns 0, or the time until there are enough, ms rounded up
 */
export type TakeTokens = (count?: number) => number

/** @param now ms of a steady clock */
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
