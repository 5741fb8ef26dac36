import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isTooComplex } from '../../../../runtime/src/bridge/envelope/structure.ts'

const maxStructure = 1024

const inStrings = JSON.stringify({ text: '[{]}:,\\"'.repeat(2000) })

test.each([
  ['brackets', '['.repeat(maxStructure + 1), true],
  ['as many as allowed', `${'['.repeat(maxStructure)} `, false],
  ['empty objects', `[${'{},'.repeat(400)}{}]`, true],
  ['a list of numbers', JSON.stringify(Array.from({ length: 1500 }, (_, index) => index)), true],
  ['behind a string', `"${'x'.repeat(2000)}"${','.repeat(maxStructure + 1)}`, true],
  ['in strings only', inStrings, false],
  ['in a string that does not end', `"${'['.repeat(5000)}`, false],
  ['after a string that ends in a backslash', `"\\\\"${'['.repeat(2000)}`, true],
  ['after an escaped quote', `"\\"${'['.repeat(2000)}`, false],
  ['blanks', ' '.repeat(5000), false],
  ['a long payload', JSON.stringify({ bytes: 'ab'.repeat(500_000) }), false],
])('%s', (_what, text, expected) => {
  expect(isTooComplex(text, maxStructure)).toBe(expected)
})

test('agrees with JSON.parse', () => {
  const filler = 'x'.repeat(maxStructure)
  fc.assert(
    fc.property(fc.array(fc.string(), { minLength: 0, maxLength: 1100 }), (strings) => {
      // Two brackets, and commas between elements; the filler makes every text long enough.
      const structure = 2 + strings.length
      const text = JSON.stringify([...strings, filler])
      expect(isTooComplex(text, maxStructure)).toBe(structure > maxStructure)
    }),
    { numRuns: 200 },
  )
})
