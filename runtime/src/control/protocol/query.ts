/** Fields of queries: text on the wire. @module */
import * as v from 'valibot'
import { described } from '../../supervisor/shown/fields.ts'

/** A field of a query that is `1` or `0`. */
export const flag = (meaning: string) =>
  described(
    v.optional(
      v.pipe(
        v.picklist(['0', '1']),
        v.transform((text) => text === '1'),
      ),
      '0',
    ),
    meaning,
  )

/** A whole number in a query. */
export const count = (most: number, meaning: string) =>
  v.exactOptional(
    v.pipe(
      v.string(),
      v.regex(/^\d{1,15}$/, 'expected a whole number'),
      v.description(meaning),
      v.transform(Number),
      v.maxValue(most, `expected at most ${most}`),
    ),
  )
