/**
 * What a wrong manifest or deployment file is reported as: every fault at once, each with its place.
 * @module
 */

/** One fault of a document. */
export interface DocumentIssue {
  /** The field, for example `image.sha256` or `policy.methods[2]`; empty for the whole document. */
  path: string
  /** From 1. */
  line: number
  /** From 1, in UTF-16 code units (as editors count); a byte order mark is not counted. */
  column: number
  /** A short rendering of what stands there; never an environment value or key material. */
  found: string
  /** What should stand there. */
  expected: string
  /** What the author probably meant or can do. */
  hint?: string
}

// A file can hold a hundred thousand faults; a person reads the first few.
const maxMessageLines = 50

/**
 * A document that cannot be used. The message has one line per fault, in the order of the file:
 * `FILE:LINE:COL: FIELD: found X, expected Y`, with the hint in parentheses behind it where there
 * is one. `issues` is complete; the message stops after 50 lines and says how many are left.
 */
export class DocumentError extends Error {
  readonly file: string
  readonly issues: readonly DocumentIssue[]

  constructor(file: string, issues: readonly DocumentIssue[]) {
    super(messageOf(file, issues))
    this.name = 'DocumentError'
    this.file = file
    this.issues = issues
  }
}

function messageOf(file: string, issues: readonly DocumentIssue[]): string {
  const lines = issues.slice(0, maxMessageLines).map((issue) => issueLine(file, issue))
  const left = issues.length - lines.length
  return [...lines, ...(left > 0 ? [`${file}: and ${left} more`] : [])].join('\n')
}

function issueLine(file: string, issue: DocumentIssue): string {
  const field = issue.path === '' ? '' : `${issue.path}: `
  const hint = issue.hint === undefined ? '' : ` (${issue.hint})`
  const fault = `found ${issue.found}, expected ${issue.expected}${hint}`
  return `${file}:${issue.line}:${issue.column}: ${field}${fault}`
}
