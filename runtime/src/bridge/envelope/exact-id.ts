/**
 * Keeps numeric ids that a JavaScript number cannot represent (clients count in nanoseconds): the
 * reply must repeat the digits, so a token replaces them until the reply is text.
 * @module
 */
import { randomUUID } from 'node:crypto'

/** A token, and the digits that it replaces. */
export interface ExactId {
  token: string
  digits: string
}

const integer = /-?\d+(?![\d.eE])/y
const string = /"[^"\\]*(?:\\.[^"\\]*)*"/y

/** The exact id of a parsed request; undefined when the number lost no digits. */
export function exactId(text: string, id: unknown): ExactId | undefined {
  if (typeof id !== 'number' || !Number.isInteger(id) || Number.isSafeInteger(id)) return undefined
  const digits = findTopLevelInteger(text, 'id')
  return digits === undefined ? undefined : { token: randomUUID(), digits }
}

/** Puts the digits back into a reply. */
export function restoreId(reply: string, { token, digits }: ExactId): string {
  return reply.replace(`"${token}"`, digits)
}

/** The last value of a key in the outermost object of JSON text, as JSON.parse takes it. */
function findTopLevelInteger(text: string, key: string): string | undefined {
  let depth = 0
  let found: string | undefined
  for (let at = 0; at < text.length; at++) {
    const character = text[at]
    if (character === '{' || character === '[') depth++
    else if (character === '}' || character === ']') depth--
    else if (character === '"') {
      const name = match(string, text, at) ?? ''
      at += name.length - 1
      if (depth === 1 && JSON.parse(name) === key) found = valueAfter(text, at + 1) ?? found
    }
  }
  return found
}

/** The integer after a colon; undefined when the string before was a value, not a key. */
function valueAfter(text: string, at: number): string | undefined {
  const start = at + (match(/\s*:\s*/y, text, at) ?? '').length
  return start === at ? undefined : match(integer, text, start)
}

function match(pattern: RegExp, text: string, at: number): string | undefined {
  pattern.lastIndex = at
  return pattern.exec(text)?.[0]
}
