import { EventEmitter, once } from 'node:events'
import { describe, expect, it } from 'vitest'
import type { Handlers } from '../../../../runtime/src/bridge/methods.ts'
import { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { dispatchFixture, peer, request } from '../../../support/dispatch-fixture.ts'
import { fixedFacts } from '../../../support/real-handlers.ts'

const uuid = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/
const secretText = 'EACCES: /var/lib/causeway/secret'

const internal = (id: unknown) => ({
  jsonrpc: '2.0',
  id,
  error: {
    code: -32603,
    message: 'internal error',
    data: { kind: 'INTERNAL', retryable: false, requestId: expect.stringMatching(uuid) as string },
  },
})
const invalidRequest = (id: unknown = null) => ({
  jsonrpc: '2.0',
  id,
  error: { code: -32600, data: { kind: 'INVALID_REQUEST' } },
})

/** Handlers with a faulty `deployment_slot`. */
const broken = (run: () => unknown): Partial<Handlers> => ({
  deployment_slot: run as Handlers['deployment_slot'],
})

describe('a call', () => {
  it.each([
    { method: 'processor_version', result: { version: '1.27.0' } },
    { method: 'deployment_id', result: { id: fixedFacts.id, origin: fixedFacts.origin } },
    { method: 'deployment_ipfsHash', result: { ipfsHash: fixedFacts.ipfsHash } },
    { method: 'deployment_slot', result: { slot: 3 } },
  ])('$method', async ({ method, result }) => {
    const { ask } = dispatchFixture()
    expect(await ask(request(method))).toStrictEqual({ jsonrpc: '2.0', id: '1', result })
  })

  it('answers in one compact line, members in one order', async () => {
    const { answer } = dispatchFixture()
    expect(await answer(JSON.stringify(request('processor_version')))).toBe(
      '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0"}}',
    )
    expect(await answer(JSON.stringify(request('no')))).toBe(
      '{"jsonrpc":"2.0","id":"1","error":{"code":-32601,"message":"there is no method \\"no\\"","data":{"kind":"METHOD_NOT_FOUND","retryable":false}}}',
    )
  })

  it.each(['text', '', 0, -1, 1.5, null])('echoes id %j with its type', async (id) => {
    const { ask } = dispatchFixture()
    const result = { version: '1.27.0' }
    const sent = { jsonrpc: '2.0', method: 'processor_version', id }
    expect(await ask(sent)).toStrictEqual({ jsonrpc: '2.0', id, result })
  })

  it('treats an object as the only element, and null as absent', async () => {
    const { ask } = dispatchFixture()
    const sign = { curve: 'ed25519', bytes: '00' }
    expect(await ask(request('signer_sign', sign))).toEqual(
      await ask(request('signer_sign', [sign])),
    )
    expect(await ask(request('deployment_slot', null))).toMatchObject({ result: { slot: 3 } })
  })

  it('passes the caller to the handler', async () => {
    let seen: unknown
    const handlers: Partial<Handlers> = {
      deployment_slot: (context) => ((seen = context), { slot: 1 }),
    }
    await dispatchFixture({ handlers }).ask(request('deployment_slot'))
    expect(seen).toMatchObject({ peer })
  })

  it('answers calls independently', async () => {
    const release = new EventEmitter()
    const handlers = broken(() => once(release, 'go').then(() => ({ slot: 9 })))
    const { ask } = dispatchFixture({ handlers })
    const slow = ask(request('deployment_slot'))
    expect(await ask(request('processor_version'))).toHaveProperty('result')
    release.emit('go')
    expect(await slow).toMatchObject({ result: { slot: 9 } })
  })
})

describe('an exception nobody expected', () => {
  it.each([
    ['at once', () => ({ slot: 1 })],
    ['later', () => Promise.resolve({ slot: 1 })],
  ])('in an observer fails only one call: answered %s', async (_when, slot) => {
    const observe = () => {
      throw new Error(secretText)
    }
    const { ask, lines } = dispatchFixture({ observe, handlers: { deployment_slot: slot } })
    const reply = await ask(request('deployment_slot'))
    expect(reply).toMatchObject({ id: null, error: { code: -32603, message: 'internal error' } })
    expect(JSON.stringify(reply)).not.toContain(secretText)
    expect(lines).toHaveLength(1)
  })

  const causes: { name: string; run: () => unknown }[] = [
    {
      name: 'an Error',
      run: () => {
        throw new Error(secretText)
      },
    },
    { name: 'an Error later', run: () => Promise.reject(new TypeError(secretText)) },
    {
      name: 'a string',
      run: () => {
        throw secretText as unknown as Error
      },
    },
    { name: 'undefined', run: () => Promise.reject(undefined as unknown as Error) },
    {
      name: 'an object that looks like an RpcError',
      run: () => {
        throw Object.assign(new Error(secretText), { kind: 'PARSE', code: 7 })
      },
    },
    { name: 'a result that JSON cannot hold', run: () => ({ slot: 10n }) },
    {
      name: 'a circular result',
      run: () => {
        const a: { a?: object } = {}
        a.a = a
        return a
      },
    },
    { name: 'no result', run: () => undefined },
    { name: 'no result later', run: () => Promise.resolve(undefined) },
  ]

  it.each(causes)('does not appear in the reply: $name', async ({ run }) => {
    const { answer } = dispatchFixture({ handlers: broken(run) })
    const reply = await answer(JSON.stringify(request('deployment_slot')))
    expect(JSON.parse(reply ?? '')).toStrictEqual(internal('1'))
    expect(reply).not.toContain('secret')
  })

  it.each(causes)('is logged with method and request id: $name', async ({ run }) => {
    const { ask, lines } = dispatchFixture({ handlers: broken(run) })
    const reply = (await ask(request('deployment_slot'))) as ReturnType<typeof internal>
    const { requestId } = reply.error.data
    expect(lines).toMatchObject([{ level: 50, method: 'deployment_slot', requestId }])
  })

  it('gives every failure its own id', async () => {
    const { ask, lines } = dispatchFixture({ handlers: broken(() => Promise.reject(new Error())) })
    for (let call = 0; call < 3; call++) await ask(request('deployment_slot'))
    expect(new Set(lines.map(({ requestId }) => requestId)).size).toBe(3)
  })

  it('keeps the cause for the log', async () => {
    const run = () => {
      throw new Error(secretText)
    }
    const { ask, lines } = dispatchFixture({ handlers: broken(run) })
    await ask(request('deployment_slot'))
    expect(lines).toMatchObject([
      { err: { message: secretText, stack: expect.any(String) as string } },
    ])
  })
})

describe('an RpcError', () => {
  it('is sent as it is and not logged', async () => {
    const run = () => {
      throw new RpcError('UNAVAILABLE', 'not now', { hint: 'later' })
    }
    const { ask, lines } = dispatchFixture({ handlers: broken(run) })
    expect(await ask(request('deployment_slot'))).toStrictEqual({
      jsonrpc: '2.0',
      id: '1',
      error: {
        code: -32603,
        message: 'not now',
        data: { kind: 'UNAVAILABLE', retryable: true, hint: 'later' },
      },
    })
    expect(lines).toEqual([])
  })
})

describe('a notification', () => {
  const notify = (method: string, params?: unknown) =>
    JSON.stringify({ jsonrpc: '2.0', method, params })

  it('is executed and not answered', async () => {
    let calls = 0
    const handlers = { deployment_slot: () => (calls++, { slot: 1 }) }
    const { answer } = dispatchFixture({ handlers })
    expect(await answer(notify('deployment_slot'))).toBeUndefined()
    expect(calls).toBe(1)
  })

  it.each([
    { name: 'unknown method', sent: notify('no') },
    { name: 'bad params', sent: notify('signer_sign', [1]) },
    { name: 'broken handler', sent: notify('deployment_slot') },
  ])('is not answered when it fails: $name', async ({ sent }) => {
    const handlers = broken(() => {
      throw new Error(secretText)
    })
    expect(await dispatchFixture({ handlers }).answer(sent)).toBeUndefined()
  })

  it('is not answered when its result cannot be serialized', async () => {
    const { answer } = dispatchFixture({ handlers: broken(() => ({ slot: 1n })) })
    expect(await answer(notify('deployment_slot'))).toBeUndefined()
  })

  it('is observed like any call', async () => {
    const { answer, records } = dispatchFixture()
    await answer(notify('deployment_slot', []))
    expect(records).toEqual([
      {
        method: 'deployment_slot',
        params: [],
        outcome: { result: { slot: 3 } },
        durationMs: expect.any(Number) as number,
      },
    ])
  })
})

describe('observe', () => {
  const durationMs = expect.any(Number) as number

  it('sees params and result', async () => {
    const { ask, records } = dispatchFixture()
    const params = [{ curve: 'secp256k1', derivationPath: "m/0'", extra: 1 }]
    const { result } = (await ask(request('signer_publicKey', params))) as { result: unknown }
    expect(records).toEqual([
      { method: 'signer_publicKey', params, outcome: { result }, durationMs },
    ])
  })

  it.each([
    { name: 'unknown method', sent: request('no'), kind: 'METHOD_NOT_FOUND' },
    { name: 'bad params', sent: request('signer_sign', [{}]), kind: 'INVALID_PARAMS' },
    { name: 'broken handler', sent: request('deployment_slot'), kind: 'INTERNAL' },
  ])('sees the failure: $name', async ({ sent, kind }) => {
    const handlers = broken(() => {
      throw new Error('x')
    })
    const { ask, records } = dispatchFixture({ handlers })
    const { error } = (await ask(sent)) as { error: { message: string } }
    const { method, params } = sent as { method: string; params: unknown[] }
    const outcome = { error: { kind, message: error.message } }
    expect(records).toEqual([{ method, params, outcome, durationMs }])
  })

  it('does not see invalid requests', async () => {
    const { answer, records } = dispatchFixture()
    for (const line of ['', '[]', 'null', '{"jsonrpc":"2.0","id":1}']) await answer(line)
    expect(records).toEqual([])
  })
})

describe('what json-rpc-2.0 alone would accept', () => {
  it.each([
    {
      name: 'method a number, params a string',
      sent: '{"jsonrpc":"2.0","method":1,"params":"bar"}',
    },
    { name: 'null', sent: 'null' },
    { name: 'zero', sent: '0' },
    { name: 'false', sent: 'false' },
    { name: 'an empty string', sent: '""' },
    { name: 'a batch of null', sent: '[null]' },
    { name: 'a batch of a number', sent: '[1]' },
    { name: 'a batch of one', sent: '[{"jsonrpc":"2.0","method":"processor_version","id":1}]' },
    { name: 'an empty batch', sent: '[]' },
    { name: 'id an object', sent: '{"jsonrpc":"2.0","method":"processor_version","id":{}}' },
    { name: 'id an array', sent: '{"jsonrpc":"2.0","method":"processor_version","id":[1]}' },
    { name: 'id a boolean', sent: '{"jsonrpc":"2.0","method":"processor_version","id":true}' },
  ])('$name', async ({ sent }) => {
    const { answer, records } = dispatchFixture()
    expect(JSON.parse((await answer(sent)) ?? '')).toMatchObject(invalidRequest())
    expect(records).toEqual([])
  })

  it.each([
    { name: 'params a string', sent: { params: 'bar' } },
    { name: 'params a number', sent: { params: 3 } },
    { name: 'method an object', sent: { method: {} } },
    { name: 'method null', sent: { method: null } },
  ])('$name', async ({ sent }) => {
    const { ask } = dispatchFixture()
    const whole = { jsonrpc: '2.0', method: 'processor_version', id: 5, ...sent }
    expect(await ask(whole)).toMatchObject(invalidRequest(5))
  })

  it.each(['__proto__', 'constructor', 'toString', 'valueOf'])('method %s', async (method) => {
    const { ask } = dispatchFixture()
    expect(await ask(request(method))).toMatchObject({ id: '1', error: { code: -32601 } })
  })

  it('never sends "error":null beside a result, nor a result beside an error', async () => {
    const { answer } = dispatchFixture()
    const good = await answer(JSON.stringify(request('processor_version')))
    const bad = await answer(JSON.stringify(request('no')))
    expect(Object.keys(JSON.parse(good ?? '') as object)).toEqual(['jsonrpc', 'id', 'result'])
    expect(Object.keys(JSON.parse(bad ?? '') as object)).toEqual(['jsonrpc', 'id', 'error'])
  })
})
