import type { MethodName } from '@causeway/guest-sdk/protocol'
import fc from 'fast-check'
import * as v from 'valibot'
import { afterAll, expect, it } from 'vitest'
import { methodTable } from '../../../runtime/src/bridge/methods.ts'
import { exampleParams } from '../../generate/examples.ts'
import { fuzzedBridge } from './fuzzed-bridge.ts'
import { valuesOf } from './schema-values.ts'
import { checkLines } from './settings.ts'
import { jsonText, methods, mostly } from './values.ts'

const timeoutMs = 120_000
const bridge = fuzzedBridge()
afterAll(bridge.stop)

/** What the row takes: made from its schema, or the example, which gets furthest. */
const takenBy = (method: MethodName) =>
  mostly(valuesOf(methodTable[method].params), fc.constant(exampleParams[method]))

/** Text of params with some values, names or elements replaced by other JSON. */
const changed = (params: fc.Arbitrary<unknown>) =>
  fc
    .tuple(params, fc.array(fc.tuple(fc.nat(), jsonText), { minLength: 1, maxLength: 3 }))
    .map(([value, changes]) =>
      changes.reduce((text, [at, other]) => replaceToken(text, at, other), JSON.stringify(value)),
    )

const token = /"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s"{}[\],:]+/g

/** Whatever stands there goes; a name stays a name, so that most results are JSON. */
function replaceToken(text: string, at: number, other: string): string {
  const tokens = [...text.matchAll(token)]
  const { 0: found = '', index = 0 } = tokens[at % tokens.length] ?? {}
  const rest = text.slice(index + found.length)
  const put = rest.startsWith(':') ? JSON.stringify(other.slice(0, 9)) : other
  return text.slice(0, index) + put + rest
}

const line = (method: MethodName, params: string) =>
  `{"jsonrpc":"2.0","method":"${method}","params":${params},"id":1}`

it.each(methods)('%s: the values made from its schema are taken by it', async (method) => {
  const { params } = methodTable[method]
  await checkLines(takenBy(method), 0.001, async (value) => expect(v.is(params, value)).toBe(true))
})

it.each(methods)(
  '%s',
  async (method) => {
    const valid = takenBy(method).map((value) => JSON.stringify(value))
    const params = fc.oneof(valid, changed(takenBy(method)), jsonText)
    const lines = params.map((text) => line(method, text))
    await checkLines(lines, 0.3 / methods.length, bridge.check)
    expect(await bridge.unhandled()).toEqual([])
  },
  timeoutMs,
)
