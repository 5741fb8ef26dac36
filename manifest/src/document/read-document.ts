/** Reads every document: text -> syntax -> tree -> schema -> value, warnings and faults. @module */
import * as v from 'valibot'
import { DocumentError, type DocumentIssue } from './document-error.ts'
import type { Fault, Keys } from './fault.ts'
import { duplicateFault, nameOffset, toJsonNode } from './json-node.ts'
import type { Duplicate, JsonNode } from './json-node.ts'
import { parseSyntax } from './json-syntax.ts'
import { fieldPath, quote } from './names.ts'
import { createLocator, type Locate, type Position } from './position.ts'
import { schemaFault, type FaultTexts } from './schema-fault.ts'
import { unknownFields } from './unknown-fields.ts'

/** How one kind of document is read. */
export interface DocumentFormat<Schema extends v.GenericSchema> extends FaultTexts {
  /** Every message in it is a noun phrase that says what is expected. */
  schema: Schema
}

/** A document that matches its schema. */
export interface ReadDocument<Schema extends v.GenericSchema> {
  value: v.InferOutput<Schema>
  /** One line for each unknown field, `FILE:LINE:COL: ...`, in the order of the file. */
  warnings: string[]
  /** `FILE:LINE:COL` of a member's name; of the document when there is no such member. */
  place: (keys: Keys) => string
}

/**
 * Reads `text` as a document of the given format.
 * @param file what messages call the document
 * @throws DocumentError with every fault, or with syntax faults only, if there are any
 */
export function readDocument<Schema extends v.GenericSchema>(
  text: string,
  file: string,
  format: DocumentFormat<Schema>,
): ReadDocument<Schema> {
  // A byte order mark is legal only at the start, and is not part of the JSON.
  const json = text.startsWith('\uFEFF') ? text.slice(1) : text
  const locate = createLocator(json)
  const syntax = parseSyntax(json, locate)
  if ('faults' in syntax) throw failure(file, syntax.faults, locate)
  const duplicates: Duplicate[] = []
  const root = toJsonNode(syntax.root, { text: json, duplicates })
  const parsed = v.safeParse(format.schema, root.value)
  const faults = (parsed.issues ?? []).map((issue) => schemaFault(issue, root, format))
  for (const twice of duplicates) faults.push(duplicateFault(twice, locate(twice.firstOffset).line))
  if (!parsed.success || faults.length > 0) throw failure(file, faults, locate)
  const at = (offset: number) => placeText(file, locate(offset))
  const warnings = unknownFieldWarnings(format.schema, root, at)
  return { value: parsed.output, warnings, place: (keys) => at(nameOffset(root, keys)) }
}

/** The error that reports `faults` in the order of the file, each once. */
function failure(file: string, faults: Fault[], locate: Locate): DocumentError {
  // Several checks of one value may report the same fault.
  const distinct = new Map(faults.map((fault) => [JSON.stringify(fault), fault]))
  const inOrder = [...distinct.values()].toSorted((a, b) => a.offset - b.offset)
  const issues = inOrder.map((fault) => toIssue(fault, locate(fault.offset)))
  return new DocumentError(file, issues)
}

function toIssue({ keys, found, expected, hint }: Fault, position: Position): DocumentIssue {
  const issue = { path: fieldPath(keys), ...position, found, expected }
  return hint === undefined ? issue : { ...issue, hint }
}

function unknownFieldWarnings(schema: object, root: JsonNode, at: (offset: number) => string) {
  return unknownFields(schema, root).map(({ keys, nameOffset: offset, meant }) => {
    const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`
    return `${at(offset)}: unknown field "${fieldPath(keys)}" is ignored${hint}`
  })
}

function placeText(file: string, { line, column }: Position): string {
  return `${file}:${line}:${column}`
}
