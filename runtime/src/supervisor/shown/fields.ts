/** Parts of the schemas of what is shown. @module */
import * as v from 'valibot'

/** A schema and what its value means, in one sentence. */
export function described<const S extends v.GenericSchema>(schema: S, meaning: string) {
  return v.pipe(schema, v.description(meaning))
}

/** An array that its reader does not change. */
export function list<const S extends v.GenericSchema>(item: S) {
  return v.pipe(v.array(item), v.readonly())
}

export const whole = v.pipe(v.number(), v.integer(), v.minValue(0))

export const time = described(whole, 'Unix ms.')
