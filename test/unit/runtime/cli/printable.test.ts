import { expect, test } from 'vitest'
import { printable } from '../../../../runtime/src/cli/print/printable.ts'

test.for([
  ['escape sequences', '\u001b[2Jgone\u009b1m', '?[2Jgone?1m'],
  ['carriage return and bell', 'a\rb\u0007', 'a?b?'],
  ['text direction', 'a\u202eb\u2066', 'a?b?'],
  ['line breaks and letters stay', 'ä\n€ ✓ 名', 'ä\n€ ✓ 名'],
])('%s', ([, text, shown]) => {
  expect(printable(text!)).toBe(shown)
})
