/**
 * Parses strict JSON within size and depth limits into a syntax tree, or finds its faults.
 * @module
 */
import { createScanner, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Node, ParseError } from 'jsonc-parser'
import type { Fault } from './fault.ts'
import type { Locate } from './position.ts'

/** Largest document, in bytes of UTF-8. Real ones have a few hundred. */
export const maxDocumentBytes = 1024 * 1024

/** Deepest nesting of a document. Ours need 4 levels; the parser is recursive. */
const maxDocumentDepth = 32

type SyntaxResult = { root: Node } | { faults: Fault[] }

// A broken bracket at the top makes every later line look wrong.
const maxSyntaxFaults = 20

/**
 * The tree of `text` (without a byte order mark), or its faults: the first of each line, at most
 * 20.
 */
export function parseSyntax(text: string, locate: Locate): SyntaxResult {
  const outOfBounds = sizeFault(text) ?? depthFault(text)
  if (outOfBounds !== undefined) return { faults: [outOfBounds] }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { disallowComments: true, allowTrailingComma: false })
  if (root !== undefined && errors.length === 0) return { root }
  return { faults: firstOfEachLine(errors, locate).map((error) => syntaxFault(text, error)) }
}

function sizeFault(text: string): Fault | undefined {
  const bytes = Buffer.byteLength(text)
  if (bytes <= maxDocumentBytes) return undefined
  const expected = `at most ${maxDocumentBytes} bytes`
  return { keys: [], offset: 0, found: `${bytes} bytes`, expected }
}

function depthFault(text: string): Fault | undefined {
  const scanner = createScanner(text, true)
  const open: string[] = []
  for (scanner.scan(); scanner.getPosition() < text.length; scanner.scan()) {
    const token = text.charAt(scanner.getTokenOffset())
    if (token === '{' || token === '[') open.push(token)
    // Only a matching bracket closes, as in the parser, where `[}[}[}` is three levels deep.
    else if (closes(open.at(-1), token)) open.pop()
    if (open.length > maxDocumentDepth) return tooDeep(scanner.getTokenOffset())
  }
  return undefined
}

function closes(open: string | undefined, token: string): boolean {
  return (open === '{' && token === '}') || (open === '[' && token === ']')
}

function tooDeep(offset: number): Fault {
  const found = `a value nested ${maxDocumentDepth + 1} levels deep`
  return { keys: [], offset, found, expected: `at most ${maxDocumentDepth} levels` }
}

// After these errors the parser has lost its place, and its next errors are mostly consequences.
const stumbles = new Set(['InvalidSymbol', 'PropertyNameExpected', 'UnexpectedEndOfString'])

/** One mistake often causes several parser errors; only the first of a line helps. */
function firstOfEachLine(errors: readonly ParseError[], locate: Locate): ParseError[] {
  const byLine = new Map<number, ParseError>()
  for (const [index, error] of errors.entries()) {
    const before = errors[index - 1]
    if (before && stumbles.has(printParseErrorCode(before.error))) continue
    const { line } = locate(error.offset)
    if (!byLine.has(line)) byLine.set(line, error)
    if (byLine.size === maxSyntaxFaults) break
  }
  return [...byLine.values()]
}

function syntaxFault(text: string, { error, offset, length }: ParseError): Fault {
  const name = printParseErrorCode(error)
  const [expected, found = tokenName(text, offset, length)] = syntaxTexts[name] ?? ['JSON']
  return { keys: [], offset, found, expected, hint: syntaxHint(text, offset) }
}

const value = 'a value'
const string = 'a string in double quotes on one line'

/** What the parser expected, and what it found where the token's name says too little. */
const syntaxTexts: Readonly<Record<string, readonly [expected: string, found?: string]>> = {
  InvalidSymbol: ['JSON (a string, number, object, array, true, false or null)'],
  InvalidNumberFormat: ['a number', 'a malformed number'],
  PropertyNameExpected: ['a field name in double quotes'],
  ValueExpected: [value],
  ColonExpected: ['":" after the field name'],
  CommaExpected: ['","'],
  CloseBraceExpected: ['"}"'],
  CloseBracketExpected: ['"]"'],
  EndOfFileExpected: ['the end of the file'],
  InvalidCommentToken: ['JSON, which has no comments', 'a comment'],
  UnexpectedEndOfString: [string, 'a string without its closing quote'],
  UnexpectedEndOfNumber: ['a number', 'a number that breaks off'],
  InvalidUnicode: [String.raw`\u and four hex digits`, String.raw`a broken \u escape in a string`],
  InvalidEscapeCharacter: [
    String.raw`one of \" \\ \/ \b \f \n \r \t \u`,
    'an unknown escape in a string',
  ],
  InvalidCharacter: [
    String.raw`an escape such as \t or \u0000`,
    'a raw control character in a string',
  ],
}

/** Names the token without its text: a stray word or string may be part of a secret. */
function tokenName(text: string, offset: number, length: number): string {
  if (offset >= text.length) return 'the end of the file'
  const first = text.charAt(offset)
  if (first === '"') return 'a string'
  if (first === "'") return 'a single quote'
  if ('{}[]:,'.includes(first)) return `"${first}"`
  if (/^-?\d/.test(text.slice(offset, offset + 2))) return 'a number'
  return length === 1 ? 'a stray character' : 'an unquoted word'
}

function syntaxHint(text: string, offset: number): string | undefined {
  const first = text.charAt(offset)
  const afterComma = text.slice(0, offset).trimEnd().endsWith(',')
  if (afterComma && (first === '}' || first === ']')) return 'remove the comma before it'
  if (first === "'") return 'JSON strings take double quotes'
  return undefined
}
