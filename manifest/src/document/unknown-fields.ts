/** Finds fields of a document that its schema does not know. @module */
import type { Fault, Keys } from './fault.ts'
import type { JsonNode } from './json-node.ts'
import { quote } from './names.ts'
import { isOneEdit, suggest } from './suggest.ts'

/** A field that the schema does not have. */
export interface UnknownField {
  keys: Keys
  /** Start of the field's name in the text. */
  nameOffset: number
  /** The known field that was probably meant. */
  meant?: string | undefined
  /** Whether that field is missing, and needed or written almost so. */
  isMistyped: boolean
  /** The fields that the object may have. */
  known: readonly string[]
}

/** Every unknown field of the object and of objects inside it, in the order of the file. */
export function unknownFields(schema: object, node: JsonNode, keys: Keys = []): UnknownField[] {
  const known = knownFields(schema)
  return [...node.members].flatMap(([name, member]) => {
    const path = [...keys, name]
    const child = known === undefined ? recordValue(schema) : known.get(name)
    if (child !== undefined) return unknownFields(child, member.node, path)
    if (known === undefined) return []
    return [{ keys: path, nameOffset: member.nameOffset, ...meaning(name, known, node) }]
  })
}

/** The fault of an unknown field, where it is one. */
export function unknownFault({ keys, nameOffset: offset, meant, known }: UnknownField): Fault {
  const hint =
    meant === undefined ? `known are ${known.join(', ')}` : `did you mean ${quote(meant)}?`
  return { keys, offset, found: 'an unknown field', expected: 'a known one', hint }
}

function meaning(name: string, known: ReadonlyMap<string, object>, { members }: JsonNode) {
  const names = [...known.keys()]
  const meant = suggest(name, names)
  const isMissing = meant !== undefined && !members.has(meant)
  const isNeeded = isMissing && !isOptional(known.get(meant))
  return { meant, known: names, isMistyped: isNeeded || (isMissing && isOneEdit(name, meant)) }
}

function isOptional(schema: object | undefined): boolean {
  return schema !== undefined && 'wrapped' in schema
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
