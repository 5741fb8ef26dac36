/**
 * The examples of the JSON-RPC 2.0 specification, §7, byte by byte. Its methods do not exist here,
 * and a connection carries one request, so batches are refused as a whole.
 */
import { describe, expect, it } from 'vitest'
import { dispatchFixture } from '../../../support/dispatch-fixture.ts'

const errorReply = (id: unknown, code: number, kind: string) => ({
  jsonrpc: '2.0',
  id,
  error: { code, message: expect.any(String) as string, data: { kind, retryable: false } },
})
const noMethod = (id: unknown) => errorReply(id, -32601, 'METHOD_NOT_FOUND')
const notJson = errorReply(null, -32700, 'PARSE')
const invalid = errorReply(null, -32600, 'INVALID_REQUEST')

const batch = `[
  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
  {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]},
  {"jsonrpc": "2.0", "method": "subtract", "params": [42,23], "id": "2"},
  {"foo": "boo"},
  {"jsonrpc": "2.0", "method": "foo.get", "params": {"name": "myself"}, "id": "5"},
  {"jsonrpc": "2.0", "method": "get_data", "id": "9"}
]`
const notifications = `[
  {"jsonrpc": "2.0", "method": "notify_sum", "params": [1,2,4]},
  {"jsonrpc": "2.0", "method": "notify_hello", "params": [7]}
]`
const cutBatch = `[
  {"jsonrpc": "2.0", "method": "sum", "params": [1,2,4], "id": "1"},
  {"jsonrpc": "2.0", "method"
]`

/** Undefined when there is no reply. */
const examples: { name: string; sent: string; reply: object | undefined }[] = [
  {
    name: 'positional parameters',
    sent: '{"jsonrpc": "2.0", "method": "subtract", "params": [42, 23], "id": 1}',
    reply: noMethod(1),
  },
  {
    name: 'positional parameters, the other way round',
    sent: '{"jsonrpc": "2.0", "method": "subtract", "params": [23, 42], "id": 2}',
    reply: noMethod(2),
  },
  {
    name: 'named parameters',
    sent: '{"jsonrpc": "2.0", "method": "subtract", "params": {"subtrahend": 23, "minuend": 42}, "id": 3}',
    reply: noMethod(3),
  },
  {
    name: 'named parameters, the other way round',
    sent: '{"jsonrpc": "2.0", "method": "subtract", "params": {"minuend": 42, "subtrahend": 23}, "id": 4}',
    reply: noMethod(4),
  },
  {
    name: 'a notification',
    sent: '{"jsonrpc": "2.0", "method": "update", "params": [1,2,3,4,5]}',
    reply: undefined,
  },
  {
    name: 'a notification without params',
    sent: '{"jsonrpc": "2.0", "method": "foobar"}',
    reply: undefined,
  },
  {
    name: 'a method that does not exist',
    sent: '{"jsonrpc": "2.0", "method": "foobar", "id": "1"}',
    reply: noMethod('1'),
  },
  {
    name: 'invalid JSON',
    sent: '{"jsonrpc": "2.0", "method": "foobar, "params": "bar", "baz]',
    reply: notJson,
  },
  {
    name: 'an invalid request object',
    sent: '{"jsonrpc": "2.0", "method": 1, "params": "bar"}',
    reply: invalid,
  },
  { name: 'a batch of invalid JSON', sent: cutBatch, reply: notJson },
  { name: 'an empty array', sent: '[]', reply: invalid },
  { name: 'an invalid batch that is not empty', sent: '[1]', reply: invalid },
  { name: 'an invalid batch', sent: '[1,2,3]', reply: invalid },
  { name: 'a batch', sent: batch, reply: invalid },
  { name: 'a batch of notifications', sent: notifications, reply: invalid },
]

describe('the 15 examples', () => {
  it.each(examples)('$name', async ({ sent, reply }) => {
    // A request is one line on the wire.
    const text = await dispatchFixture().answer(sent.replaceAll('\n', ' '))
    const found = text === undefined ? undefined : (JSON.parse(text) as object)
    expect(found).toEqual(reply)
  })

  it('are complete', () => {
    expect(examples).toHaveLength(15)
  })
})

describe('§4 and §5: requests and replies', () => {
  it.each([
    { name: 'a reply', sent: '{"jsonrpc":"2.0","result":19,"id":1}', id: 1 },
    {
      name: 'an error reply',
      sent: '{"jsonrpc":"2.0","error":{"code":1,"message":"x"},"id":"1"}',
      id: '1',
    },
  ])('$name is not a valid request', async ({ sent, id }) => {
    const reply = await dispatchFixture().answer(sent)
    expect(JSON.parse(reply ?? '')).toMatchObject({ ...invalid, id })
  })

  it('a request with id null is not a notification', async () => {
    const sent = '{"jsonrpc":"2.0","method":"processor_version","id":null}'
    expect(JSON.parse((await dispatchFixture().answer(sent)) ?? '')).toEqual({
      jsonrpc: '2.0',
      id: null,
      result: { version: '1.27.0' },
    })
  })

  it('no method name begins with rpc. except rpc.discover', async () => {
    const { ask } = dispatchFixture()
    for (const method of ['rpc.', 'rpc.methods', 'rpc.describe', 'rpc.discover.x']) {
      expect(await ask({ jsonrpc: '2.0', method, id: 1 })).toMatchObject(noMethod(1))
    }
  })
})
