/** The error for a wrong manifest or deployment file: it has every fault with its place. @module */

/** One fault of a document. */
export interface DocumentIssue {
  /** The field, for example `image.sha256` or `policy.methods[2]`; empty for the whole document. */
  path: string
  /** Starts at 1. */
  line: number
  /** Starts at 1, counts UTF-16 code units (as editors do) and no byte order mark. */
  column: number
  /** A short rendering of the text found; never an environment value or key material. */
  found: string
  /** What the text should be. */
  expected: string
  /** What the author probably meant or can do. */
  hint?: string
}

// A file can have a hundred thousand faults; a person reads the first few.
const maxMessageLines = 50

/**
 * A document that cannot be used. The message has one line per fault, in the order of the file:
 * `FILE:LINE:COL: FIELD: found X, expected Y`, then the hint, if any, in parentheses. `issues` is
 * complete; the message stops after 50 lines and counts the others.
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
