/** Schemas for the fields of a configuration file. @module */
import * as v from 'valibot'

/**
 * A whole number within bounds, both included.
 * @param reason why these bounds, where that is not obvious
 */
export function count(least: number, most: number, byDefault: number, reason?: string) {
  const bounds = `expected a whole number from ${least} to ${most}`
  const expected = reason === undefined ? bounds : `${bounds} (${reason})`
  const number = v.pipe(
    v.number(expected),
    v.integer(expected),
    v.minValue(least, expected),
    v.maxValue(most, expected),
  )
  return v.optional(number, byDefault)
}

/** One of some names. */
export function choice<const Name extends string>(
  names: readonly Name[],
  byDefault: NoInfer<Name>,
) {
  return v.optional(v.picklist(names, `expected one of ${names.join(', ')}`), byDefault)
}

export const maxCount = 1_000_000
export const maxBytes = 1024 * 1024 * 1024
/** The largest integer up to which a double is exact. */
export const maxLimit = Number.MAX_SAFE_INTEGER
export const maxMs = 24 * 60 * 60 * 1000
