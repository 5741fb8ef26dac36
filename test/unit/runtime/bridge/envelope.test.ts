import { describe, expect, it } from 'vitest'
import { parseLine } from '../../../../runtime/src/bridge/envelope/envelope.ts'
import { defaultLimits } from '../../../../runtime/src/bridge/limits/limits.ts'
import { toErrorObject } from '../../../../runtime/src/bridge/errors.ts'

/** A parsed line as plain values: the envelope, or the content of the error reply. */
function parsed(line: string | Buffer): unknown {
  const result = parseLine(Buffer.from(line), defaultLimits)
  if ('envelope' in result) return result.envelope
  const { code, message, data } = toErrorObject(result.error)
  return { code, message, kind: data.kind, id: result.id }
}

const parse = (message: string) => ({ code: -32700, message, kind: 'PARSE', id: null })
const invalid = (message: string, id: unknown = null) => ({
  code: -32600,
  message,
  kind: 'INVALID_REQUEST',
  id,
})
const withId = (id: string) => `{"jsonrpc":"2.0","method":"m","id":${id}}`
const withParams = (params: string) => `{"jsonrpc":"2.0","method":"m","params":${params},"id":1}`
const nested = (open: string, close: string, inner = '', depth = 500_000) =>
  open.repeat(depth) + inner + close.repeat(depth)

describe('echoed ids', () => {
  it.each([
    { sent: '"a"', id: 'a' },
    { sent: '"1"', id: '1' },
    { sent: '""', id: '' },
    { sent: '"é\\u0000\\ud800😀"', id: 'é\0\ud800😀' },
    { sent: `"${'x'.repeat(10_000)}"`, id: 'x'.repeat(10_000) },
    { sent: '0', id: 0 },
    { sent: '-1', id: -1 },
    { sent: '1.5', id: 1.5 },
    { sent: '1e3', id: 1000 },
    { sent: '9007199254740991', id: 9007199254740991 },
    { sent: '1e308', id: 1e308 },
    { sent: 'null', id: null },
  ])('$sent', ({ sent, id }) => {
    expect(parsed(withId(sent))).toEqual({ method: 'm', params: [], id })
  })

  it('an absent id makes a notification', () => {
    expect(parsed('{"jsonrpc":"2.0","method":"m"}')).toStrictEqual({
      method: 'm',
      params: [],
      id: undefined,
    })
  })
})

describe('ids that are refused, with id null in the reply', () => {
  it.each([
    { sent: '{}', found: 'an object' },
    { sent: '{"a":1}', found: 'an object' },
    { sent: '[]', found: 'an array' },
    { sent: '["1"]', found: 'an array' },
    { sent: 'true', found: 'a boolean' },
    { sent: 'false', found: 'a boolean' },
    { sent: '1e999', found: 'a number out of range' },
    { sent: '-1e999', found: 'a number out of range' },
  ])('$sent', ({ sent, found }) => {
    const message = `id: expected a string, a finite number or null, found ${found}`
    expect(parsed(withId(sent))).toEqual(invalid(message))
  })
})

describe('params', () => {
  it.each([
    { sent: '[]', params: [] },
    { sent: 'null', params: [] },
    { sent: '{}', params: [{}] },
    { sent: '{"a":null}', params: [{ a: null }] },
    { sent: '[{"a":1}]', params: [{ a: 1 }] },
    { sent: '[null]', params: [null] },
    { sent: '[1,"x",[2]]', params: [1, 'x', [2]] },
  ])('taken: $sent', ({ sent, params }) => {
    expect(parsed(withParams(sent))).toEqual({ method: 'm', params, id: 1 })
  })

  it.each([
    { sent: '"bar"', found: 'a string' },
    { sent: '""', found: 'a string' },
    { sent: '0', found: 'a number' },
    { sent: '1e999', found: 'a number out of range' },
    { sent: 'true', found: 'a boolean' },
    { sent: 'false', found: 'a boolean' },
  ])('refused: $sent', ({ sent, found }) => {
    const message = `params: expected an array or an object, found ${found}`
    expect(parsed(withParams(sent))).toEqual(invalid(message, 1))
  })
})

describe('members', () => {
  it.each([
    { name: 'no jsonrpc', sent: '{"method":"m","id":1}', says: 'expected "2.0", found nothing' },
    {
      name: 'version 1.0',
      sent: '{"jsonrpc":"1.0","method":"m","id":1}',
      says: 'expected "2.0", found "1.0"',
    },
    {
      name: 'version as a number',
      sent: '{"jsonrpc":2.0,"method":"m","id":1}',
      says: 'expected "2.0", found a number',
    },
    {
      name: 'version null',
      sent: '{"jsonrpc":null,"method":"m","id":1}',
      says: 'expected "2.0", found null',
    },
    {
      name: 'a long version is cut',
      sent: `{"jsonrpc":"${'2'.repeat(50)}","method":"m","id":1}`,
      says: `expected "2.0", found "${'2'.repeat(40)}"`,
    },
  ])('jsonrpc: $name', ({ sent, says }) => {
    expect(parsed(sent)).toEqual(invalid(`jsonrpc: ${says}`, 1))
  })

  it.each([
    { sent: '{"jsonrpc":"2.0","id":"x"}', found: 'nothing' },
    { sent: '{"jsonrpc":"2.0","method":null,"id":"x"}', found: 'null' },
    { sent: '{"jsonrpc":"2.0","method":1,"id":"x"}', found: 'a number' },
    { sent: '{"jsonrpc":"2.0","method":["m"],"id":"x"}', found: 'an array' },
    { sent: '{"jsonrpc":"2.0","method":{},"id":"x"}', found: 'an object' },
  ])('method: $sent', ({ sent, found }) => {
    expect(parsed(sent)).toEqual(invalid(`method: expected a string, found ${found}`, 'x'))
  })

  it.each(['__proto__', 'constructor', 'toString', 'hasOwnProperty', ''])(
    'a method named %j is only a name here',
    (method) => {
      const sent = JSON.stringify({ jsonrpc: '2.0', method, id: 1 })
      expect(parsed(sent)).toEqual({ method, params: [], id: 1 })
    },
  )

  it('members of a nested __proto__ are not members of the request', () => {
    const sent = '{"__proto__":{"jsonrpc":"2.0","method":"m","id":7}}'
    expect(parsed(sent)).toEqual(invalid('jsonrpc: expected "2.0", found nothing'))
  })

  it('the last of two members with the same name counts', () => {
    const sent = '{"jsonrpc":"2.0","method":"a","method":"b","id":1,"id":2}'
    expect(parsed(sent)).toEqual({ method: 'b', params: [], id: 2 })
  })

  it('unknown members are ignored', () => {
    const sent = '{"jsonrpc":"2.0","method":"m","id":1,"result":1,"x":{}}'
    expect(parsed(sent)).toEqual({ method: 'm', params: [], id: 1 })
  })
})

describe('bodies that are not a request', () => {
  const batch = invalid('a connection carries one request; a batch needs one connection each')
  it.each([
    { sent: 'null', reply: invalid('expected a request object, found null') },
    { sent: '0', reply: invalid('expected a request object, found a number') },
    { sent: 'false', reply: invalid('expected a request object, found a boolean') },
    { sent: 'true', reply: invalid('expected a request object, found a boolean') },
    { sent: '""', reply: invalid('expected a request object, found a string') },
    { sent: '{}', reply: invalid('jsonrpc: expected "2.0", found nothing') },
    { sent: '[]', reply: batch },
    { sent: '[null]', reply: batch },
    { sent: '[1]', reply: batch },
    { sent: '[1,2,3]', reply: batch },
    { sent: `[${withId('1')}]`, reply: batch },
    { sent: `[${withId('1')},${withId('2')}]`, reply: batch },
  ])('$sent', ({ sent, reply }) => {
    expect(parsed(sent)).toEqual(reply)
  })
})

describe('lines that are not JSON', () => {
  const notJson = parse('the request line is not valid JSON')
  const notUtf8 = parse('the request line is not valid UTF-8')
  it.each<{ name: string; sent: string | Buffer; reply: unknown }>([
    { name: 'empty', sent: '', reply: notJson },
    { name: 'blanks', sent: ' \t ', reply: notJson },
    { name: 'text', sent: 'hello', reply: notJson },
    { name: 'cut off', sent: '{"jsonrpc":"2.0","method":"m","id":1', reply: notJson },
    { name: 'two objects', sent: `${withId('1')}${withId('2')}`, reply: notJson },
    { name: 'NaN as id', sent: withId('NaN'), reply: notJson },
    { name: 'single quotes', sent: "{'jsonrpc':'2.0'}", reply: notJson },
    { name: 'a comma too many', sent: '{"jsonrpc":"2.0",}', reply: notJson },
    { name: 'a byte order mark', sent: `\ufeff${withId('1')}`, reply: notJson },
    {
      name: 'a raw control character',
      sent: '{"jsonrpc":"2.0","method":"\u0001"}',
      reply: notJson,
    },
    { name: 'NUL bytes', sent: '\0\0\0', reply: notJson },
    { name: 'a stray continuation byte', sent: Buffer.of(0x22, 0x80, 0x22), reply: notUtf8 },
    { name: 'a cut sequence', sent: Buffer.of(0x22, 0xf0, 0x9f, 0x98, 0x22), reply: notUtf8 },
    { name: 'an overlong slash', sent: Buffer.of(0x22, 0xc0, 0xaf, 0x22), reply: notUtf8 },
    { name: 'a surrogate in UTF-8', sent: Buffer.of(0x22, 0xed, 0xa0, 0x80, 0x22), reply: notUtf8 },
    { name: 'UTF-16', sent: Buffer.from(`\ufeff${withId('1')}`, 'utf16le'), reply: notUtf8 },
  ])('$name', ({ sent, reply }) => {
    expect(parsed(sent)).toEqual(reply)
  })

  it.each(['GET / HTTP/1.1', 'POST /rpc HTTP/1.1', 'OPTIONS * HTTP/1.0', 'CONNECT a:1 HTTP/1.1'])(
    'the error for an HTTP client names HTTP: %s',
    (sent) => {
      expect(parsed(sent)).toEqual(
        parse('this socket speaks JSON-RPC 2.0 lines, found an HTTP request'),
      )
    },
  )
})

describe('500,000 levels deep', () => {
  it.each([
    { name: 'unclosed arrays', sent: '['.repeat(500_000) },
    { name: 'unclosed objects', sent: '{"a":'.repeat(500_000) },
    { name: 'a batch', sent: nested('[', ']') },
    { name: 'an id', sent: withId(nested('[', ']')) },
    { name: 'params', sent: withParams(nested('{"a":', '}', '1')) },
  ])('refused unparsed: $name', ({ sent }) => {
    expect(parsed(sent)).toMatchObject({ code: -32005 })
  })
})

describe('300 levels deep', () => {
  it.each([
    { name: 'a batch', sent: nested('[', ']', '', 300) },
    { name: 'an id', sent: withId(nested('[', ']', '', 300)) },
    { name: 'a method', sent: `{"jsonrpc":"2.0","method":${nested('[', ']', '', 300)}}` },
  ])('refused: $name', ({ sent }) => {
    expect(parsed(sent)).toMatchObject({ code: -32600 })
  })

  it.each([
    { name: 'arrays', sent: nested('[', ']', '', 300) },
    { name: 'objects', sent: nested('{"a":', '}', '1', 300) },
  ])('passed on as params: $name', ({ sent }) => {
    expect(parsed(withParams(sent))).toMatchObject({ method: 'm', id: 1 })
  })
})
