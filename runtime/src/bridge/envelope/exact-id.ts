/**
 * Numeric ids that a JavaScript number cannot hold (clients count in nanoseconds): the reply must
 * carry the digits that came, so a token stands for them until the reply is text.
 * @module
 */
import { randomUUID } from 'node:crypto'

/** A token to route by, and the digits it stands for. */
export interface ExactId {
  token: string
  digits: string
}

const integer = /-?\d+(?![\d.eE])/y
const string = /"[^"\\]*(?:\\.[^"\\]*)*"/y

/** The exact form of a parsed request's id, when its number lost digits. */
export function exactId(text: string, id: unknown): ExactId | undefined {
  if (typeof id !== 'number' || !Number.isInteger(id) || Number.isSafeInteger(id)) return undefined
  const digits = findTopLevelInteger(text, 'id')
  return digits === undefined ? undefined : { token: randomUUID(), digits }
}

/** Puts the digits back into a reply. */
export function restoreId(reply: string, { token, digits }: ExactId): string {
  return reply.replace(`"${token}"`, digits)
}

/** The last value of a key of the outermost object, as JSON.parse takes it, in valid JSON text. */
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
