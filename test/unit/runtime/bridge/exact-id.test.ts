import { describe, expect, test } from 'vitest'
import { parseLine } from '../../../../runtime/src/bridge/envelope/envelope.ts'
import { defaultLimits } from '../../../../runtime/src/bridge/limits/limits.ts'
import { exactId, restoreId } from '../../../../runtime/src/bridge/envelope/exact-id.ts'

const big = '1763632800123456789'

describe('digits of an id that no JavaScript number can represent', () => {
  test.for([
    ['a plain request', `{"jsonrpc":"2.0","id":${big},"method":"m"}`, big],
    ['spaces', `{ "id" :\t${big} , "method":"m"}`, big],
    ['a negative one', `{"id":-${big}}`, `-${big}`],
    ['an escaped key', `{"\\u0069d":${big}}`, big],
    ['an id inside params', `{"params":[{"id":1}],"id":${big}}`, big],
    ['an id after it inside params', `{"id":${big},"params":{"id":2}}`, big],
    ['the word as a value', `{"method":"id","id":${big}}`, big],
    ['quotes and braces in a string', `{"method":"\\"id\\":1}{","id":${big}}`, big],
    ['the last of two', `{"id":1,"id":${big}}`, big],
  ])('%s', ([, text, digits]) => {
    expect(exactId(text!, (JSON.parse(text!) as { id: number }).id)?.digits).toBe(digits)
  })

  test.for([['1'], ['9007199254740991'], ['1.5'], ['1e300'], ['"a"'], ['null'], ['[1]']])(
    'are not needed for %s',
    ([id]) => {
      expect(exactId(`{"id":${id}}`, JSON.parse(id!))).toBeUndefined()
    },
  )

  test('are repeated in the reply', () => {
    const parsed = parseLine(
      Buffer.from(`{"jsonrpc":"2.0","id":${big},"method":"m"}`),
      defaultLimits,
    )
    if (!('envelope' in parsed)) throw new Error('refused')
    const reply = JSON.stringify({ jsonrpc: '2.0', id: parsed.envelope.id, result: {} })
    expect(restoreId(reply, parsed.exact!)).toBe(`{"jsonrpc":"2.0","id":${big},"result":{}}`)
  })
})
