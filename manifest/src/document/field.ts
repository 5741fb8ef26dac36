/**
 * Pieces that the schemas of both documents are made of.
 * @module
 */
import * as v from 'valibot'

/** A schema with the sentence that editors show for it. */
export function described<const Schema extends v.GenericSchema>(text: string, schema: Schema) {
  return v.pipe(schema, v.description(text))
}

/** A field that may be left out; `null` means the same. */
export function optionalField<const Schema extends v.GenericSchema>(text: string, schema: Schema) {
  return v.nullish(described(text, schema))
}

/** Whether a string can be a C string: a path, or a value of an environment. */
export function noNul(text: string): boolean {
  return !text.includes('\0')
}
