/**
 * What settings of the configuration file may be.
 * @module
 */
import * as v from 'valibot'
import { compareLevels, implementedLevel } from '../bridge/gate.ts'

/** `major.minor.patch`, none above what is implemented. */
export const level = v.pipe(
  v.string(),
  v.regex(/^\d+\.\d+\.\d+$/, 'expected major.minor.patch'),
  v.check(
    (value) => compareLevels(value, implementedLevel) <= 0,
    `expected at most ${implementedLevel}, the level this version implements`,
  ),
)
export const guestFolder = v.pipe(
  v.string(),
  v.regex(/^(?:\/[^/\0]+)+$/, 'expected an absolute path inside the image'),
  v.check((path) => !path.split('/').includes('..'), 'expected a path without ..'),
)

/**
 * A whole number within bounds, both included.
 * @param reason why not others, where that is not plain
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

export const maxCount = 1_000_000
export const maxBytes = 1024 * 1024 * 1024
/** The largest that a double counts by ones. */
export const maxLimit = Number.MAX_SAFE_INTEGER
export const maxMs = 24 * 60 * 60 * 1000
