/**
 * Statistics over several rounds.
 * @module
 */

/** The median of the rounds, and their spread. */
export interface Spread {
  median: number
  min: number
  max: number
}

/** The middle value, or the mean of the middle two. @throws RangeError for no values */
export function median(values: readonly number[]): number {
  if (values.length === 0) throw new RangeError('expected at least one value')
  const sorted = values.toSorted((a, b) => a - b)
  const upper = sorted[sorted.length >> 1]!
  return sorted.length % 2 === 1 ? upper : (sorted[(sorted.length >> 1) - 1]! + upper) / 2
}

export function spread(values: readonly number[]): Spread {
  return { median: median(values), min: Math.min(...values), max: Math.max(...values) }
}

/** Ratios by round: both measured within the same second, so other load cancels out. */
export function ratios(values: readonly number[], floors: readonly number[]): Spread {
  if (values.length !== floors.length) throw new RangeError('expected as many floors as values')
  return spread(values.map((value, round) => value / floors[round]!))
}
