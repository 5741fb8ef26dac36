/** Reads every document: text -> syntax -> tree -> schema -> value, warnings and faults. @module */
import * as v from 'valibot'
import { DocumentError, type DocumentIssue } from './document-error.ts'
import type { Fault, Keys } from './fault.ts'
import { duplicateFault, nameOffset, toJsonNode } from './json-node.ts'
import type { Duplicate } from './json-node.ts'
import { parseSyntax } from './json-syntax.ts'
import { fieldPath, quote } from './names.ts'
import { createLocator, type Locate, type Position } from './position.ts'
import { schemaFault, type FaultTexts } from './schema-fault.ts'
import { unknownFault, unknownFields, type UnknownField } from './unknown-fields.ts'

/** How one kind of document is read. */
export interface DocumentFormat<Schema extends v.GenericSchema> extends FaultTexts {
  /** Every message in it is a noun phrase that says what is expected. */
  schema: Schema
  /** Which unknown fields are faults; the others are warnings. */
  refuses: 'unknown' | 'mistyped' | 'nothing'
}

/** How a document came here. */
export interface ReadOptions {
  /**
   * It was accepted before, perhaps by an earlier version: what it has beside the known fields is a
   * warning. Default false.
   */
  isAccepted?: boolean
}

/** A document that matches its schema. */
export interface ReadDocument<Schema extends v.GenericSchema> {
  value: v.InferOutput<Schema>
  /** One line for each unknown field that is no fault, `FILE:LINE:COL: ...`, in order of the file. */
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
  const unknown = unknownFields(format.schema, root)
  const isFault = refusal[format.refuses]
  for (const field of unknown.filter(isFault)) faults.push(unknownFault(field))
  if (!parsed.success || faults.length > 0) throw failure(file, faults, locate)
  const at = (offset: number) => placeText(file, locate(offset))
  const warnings = unknown.map((field) => unknownFieldWarning(field, at))
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

const refusal: Record<DocumentFormat<never>['refuses'], (field: UnknownField) => boolean> = {
  unknown: () => true,
  mistyped: ({ isMistyped }) => isMistyped,
  nothing: () => false,
}

function unknownFieldWarning(
  { keys, nameOffset: offset, meant }: UnknownField,
  at: (offset: number) => string,
): string {
  const hint = meant === undefined ? '' : `; did you mean ${quote(meant)}?`
  return `${at(offset)}: unknown field "${fieldPath(keys)}" is ignored${hint}`
}

function placeText(file: string, { line, column }: Position): string {
  return `${file}:${line}:${column}`
}
