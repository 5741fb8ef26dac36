/**
 * Bridge levels, `major.minor.patch`: which methods a bridge serves (runtime spec, Versioning).
 * @module
 */

/** The bridge level that this code implements. */
export const implementedLevel = '1.27.0'

/** Compares levels of the form `major.minor.patch`. @returns negative, zero or positive */
export function compareLevels(a: string, b: string): number {
  const right = b.split('.').map(Number)
  const difference = a.split('.').map((part, index) => Number(part) - (right[index] ?? 0))
  return difference.find((part) => part !== 0) ?? 0
}
