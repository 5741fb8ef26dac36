import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { fuzzedBridge } from './fuzzed-bridge.ts'
import { checkLines } from './settings.ts'
import { goodLines, jsonText } from './values.ts'

const timeoutMs = 120_000
const bridge = fuzzedBridge()
afterAll(bridge.stop)

it('real requests are answered, or these tests see errors alone', async () => {
  for (const line of goodLines) {
    const reply = await bridge.check(line)
    expect(reply ?? '"result":').toContain('"result":')
  }
})

it(
  'bytes',
  async () => {
    const bytes = fc.uint8Array({ maxLength: 120 }).map((data) => Buffer.from(data))
    await checkLines(bytes, 0.1, bridge.check)
    expect(await bridge.unhandled()).toEqual([])
  },
  timeoutMs,
)

it(
  'JSON',
  async () => {
    await checkLines(jsonText, 0.1, bridge.check)
    expect(await bridge.unhandled()).toEqual([])
  },
  timeoutMs,
)

/** One change of a line: cut out some bytes and put others there. */
const change = fc.record({
  at: fc.nat(1000),
  cut: fc.nat(3),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 3 }).map((data) => Buffer.from(data)),
    fc.constantFrom(
      '"',
      '{',
      '}',
      '[',
      ']',
      ',',
      ':',
      '\\',
      '\n',
      '\0',
      '"id":',
      'null',
      '[1e999]',
    ),
  ),
})

it(
  'real requests with a few bytes changed',
  async () => {
    const line = fc
      .tuple(fc.constantFrom(...goodLines), fc.array(change, { minLength: 1, maxLength: 3 }))
      .map(([text, changes]) =>
        changes.reduce((bytes, { at, cut, put }) => {
          const start = at % (bytes.length + 1)
          const parts = [bytes.subarray(0, start), Buffer.from(put), bytes.subarray(start + cut)]
          return Buffer.concat(parts)
        }, Buffer.from(text)),
      )
    await checkLines(line, 0.2, bridge.check)
    expect(await bridge.unhandled()).toEqual([])
  },
  timeoutMs,
)
