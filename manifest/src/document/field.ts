/** Parts shared by the schemas of manifest and deployment. @module */
import * as v from 'valibot'

/** A schema with a description, which editors show. */
export function described<const Schema extends v.GenericSchema>(text: string, schema: Schema) {
  return v.pipe(schema, v.description(text))
}

/** A field that may be left out or be `null`. */
export function optionalField<const Schema extends v.GenericSchema>(text: string, schema: Schema) {
  return v.nullish(described(text, schema))
}

/** Whether a string can be a C string, as paths and environment values must. */
export function noNul(text: string): boolean {
  return !text.includes('\0')
}
