/** Finds fields of a document that its schema does not know. @module */
import type { Keys } from './fault.ts'
import type { JsonNode } from './json-node.ts'
import { suggest } from './suggest.ts'

/** A field that is ignored. */
export interface UnknownField {
  keys: Keys
  /** Start of the field's name in the text. */
  nameOffset: number
  /** The known field that was probably meant. */
  meant?: string | undefined
}

/** Every unknown field of the object and of objects inside it, in the order of the file. */
export function unknownFields(schema: object, node: JsonNode, keys: Keys = []): UnknownField[] {
  const known = knownFields(schema)
  return [...node.members].flatMap(([name, member]) => {
    const path = [...keys, name]
    const child = known === undefined ? recordValue(schema) : known.get(name)
    if (child !== undefined) return unknownFields(child, member.node, path)
    if (known === undefined) return []
    return [{ keys: path, nameOffset: member.nameOffset, meant: suggest(name, [...known.keys()]) }]
  })
}

/** The fields of an object schema, also inside `nullish`; undefined for every other schema. */
function knownFields(schema: object): Map<string, object> | undefined {
  if ('entries' in schema) return new Map(Object.entries(schema.entries as object))
  return 'wrapped' in schema ? knownFields(schema.wrapped as object) : undefined
}

/** The schema of a record's values; undefined for every other schema. */
function recordValue(schema: object): object | undefined {
  if ('key' in schema && 'value' in schema) return schema.value as object
  return 'wrapped' in schema ? recordValue(schema.wrapped as object) : undefined
}
