import fc from 'fast-check'
import { afterAll, expect, it } from 'vitest'
import { fuzzedBridge } from './fuzzed-bridge.ts'
import { checkLines } from './settings.ts'
import { idText, jsonText, methodText, mostly } from './values.ts'

const timeoutMs = 120_000
const bridge = fuzzedBridge()
afterAll(bridge.stop)

const member = (name: string, value: fc.Arbitrary<string>) =>
  value.map((text) => `${JSON.stringify(name)}:${text}`)

const members = {
  jsonrpc: member('jsonrpc', mostly(fc.constant('"2.0"'), jsonText)),
  method: member('method', mostly(methodText, jsonText)),
  params: member('params', mostly(fc.constantFrom('[]', '{}', 'null', '[{}]'), jsonText)),
  id: member('id', mostly(idText, jsonText)),
}
const unknownMember = fc
  .tuple(fc.constantFrom('__proto__', 'result', 'error', 'Id', '', 'x'), jsonText)
  .map(([name, text]) => `${JSON.stringify(name)}:${text}`)

/** Each member mostly there, in any order, some twice, some that nobody knows. */
const envelope = fc
  .tuple(
    ...Object.values(members).map((one) => fc.option(one, { freq: 8 })),
    fc.option(fc.oneof(...Object.values(members), unknownMember), { freq: 1 }),
  )
  .map((parts) => parts.filter((part) => part !== null))
  .chain((parts) => fc.shuffledSubarray(parts, { minLength: parts.length }))
  .map((parts) => `{${parts.join()}}`)

it(
  'every JSON value in every member',
  async () => {
    await checkLines(envelope, 0.25, bridge.check)
    expect(await bridge.unhandled()).toEqual([])
  },
  timeoutMs,
)

it(
  'ids come back digit by digit',
  async () => {
    const request = fc.tuple(methodText, fc.bigInt({ min: -(2n ** 90n), max: 2n ** 90n }))
    await checkLines(request, 0.05, async ([method, id]) => {
      const text = await bridge.check(`{"jsonrpc":"2.0","method":${method},"id":${id}}`)
      if (!text?.startsWith(`{"jsonrpc":"2.0","id":${id},`)) throw new Error(`found ${text}`)
    })
    expect(await bridge.unhandled()).toEqual([])
  },
  timeoutMs,
)
