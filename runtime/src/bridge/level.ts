/**
 * Bridge levels, `major.minor.patch`: which methods a bridge serves (runtime spec, Versioning).
 * @module
 */

/** The bridge level that this code implements. */
export const implementedLevel = '1.27.0'

/** Negative, zero or positive, as `major.minor.patch` a is below, at or above b. */
export function compareLevels(a: string, b: string): number {
  const right = b.split('.').map(Number)
  const difference = a.split('.').map((part, index) => Number(part) - (right[index] ?? 0))
  return difference.find((part) => part !== 0) ?? 0
}
