/** A fault while a document is read, before its offset is turned into line and column. @module */

/** The path to a value in a document: member names and array indexes, outermost first. */
export type Keys = readonly (string | number)[]

/** A fault at an offset of the text; `found`, `expected` and `hint` as in {@link DocumentIssue}. */
export interface Fault {
  keys: Keys
  offset: number
  found: string
  expected: string
  hint?: string | undefined
}
