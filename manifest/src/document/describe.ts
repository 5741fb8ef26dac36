/** Short renderings of values for messages that end up in terminals and logs. @module */
import type { JsonNode } from './json-node.ts'
import { maxShownLength, ofLength, quote } from './names.ts'

/** A value as `found` shows it: short, on one line, no terminal escapes, no long hex. */
export function describeValue(node: JsonNode | undefined): string {
  if (node === undefined) return 'nothing'
  const { value } = node
  if (typeof value === 'string') return quote(value)
  if (node.kind === 'object' || node.kind === 'array') return describeKind(node)
  // The text, not the value: 12345678901234567890 would be shown as 12345678901234567000.
  return node.literal.length <= maxShownLength ? node.literal : describeKind(node)
}

/** A value by type and length only, for places that may hold a secret. */
export function describeKind(node: JsonNode | undefined): string {
  if (node === undefined) return 'nothing'
  const { value, kind } = node
  if (typeof value === 'string') return value === '' ? 'an empty string' : ofLength(value)
  if (kind === 'null') return 'null'
  return /^[aeiou]/.test(kind) ? `an ${kind}` : `a ${kind}`
}
