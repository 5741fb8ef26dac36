/**
 * How often something may happen: so many per second in the long run, so many at once.
 * @module
 */

/** Takes one token. @returns 0, or the time until there is one, ms rounded up */
export type TakeToken = () => number

/** @param now ms of a steady clock */
export function createTokenBucket(
  { perSecond, burst }: { perSecond: number; burst: number },
  now: () => number = () => performance.now(),
): TakeToken {
  if (perSecond === Infinity) return () => 0
  let tokens = burst
  let filledAt = now()
  return () => {
    const time = now()
    tokens = Math.min(burst, tokens + ((time - filledAt) * perSecond) / 1000)
    filledAt = time
    if (tokens < 1) return Math.ceil(((1 - tokens) * 1000) / perSecond)
    tokens--
    return 0
  }
}
