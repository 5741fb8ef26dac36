/**
 * A fault as the steps of reading a document pass it on, before its offset becomes line and column.
 * @module
 */

/** The way to a value inside a document: member names and array indexes, outermost first. */
export type Keys = readonly (string | number)[]

/** One fault at an offset of the text; `found`, `expected` and `hint` as in {@link DocumentIssue}. */
export interface Fault {
  keys: Keys
  offset: number
  found: string
  expected: string
  hint?: string | undefined
}
