import { BridgeError, BridgeUnavailableError, connect } from '@causeway/guest-sdk'
import { afterEach, describe, expect } from 'vitest'
import { uniqueName } from '../../support/bridge-fixture.ts'
import { openSockets } from '../../support/open-descriptors.ts'
import { replyWith, startRecordingBridge, test } from '../../support/recording-bridge.ts'
import { thrownBy } from '../../support/thrown.ts'

const version = { result: { version: '1.27.0' } }
const reply = '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0"}}'

afterEach(() => {
  delete process.env['BRIDGE_SOCKET']
})

describe('an error of the host', () => {
  test('has every field', async ({ host }) => {
    const data = {
      kind: 'LIMIT_EXCEEDED',
      retryable: true,
      hint: 'wait',
      details: { limit: 64 },
      // Later than the client waits for an answer.
      retryAfterMs: 60_000,
      requestId: 'r',
    }
    const { name } = await host(replyWith({ error: { code: -32005, message: 'busy', data } }))
    const error = await thrownBy(() => connect({ socket: name }).processor.version())
    expect(error).toBeInstanceOf(BridgeError)
    expect(Object.fromEntries(Object.entries(error as object))).toEqual({
      name: 'BridgeError',
      method: 'processor_version',
      code: -32005,
      ...data,
    })
    expect((error as Error).message).toBe('processor_version: busy (wait)')
  })

  test('has the method once in its message, also when the host names it', async ({ host }) => {
    const message = 'processor_version: params: expected one object'
    const { name } = await host(replyWith({ error: { code: -32602, message } }))
    const { processor } = connect({ socket: name })
    await expect(processor.version()).rejects.toMatchObject({ message })
  })

  const bare = { name: 'BridgeError', method: 'processor_version', retryable: false }
  test.for([
    {
      name: 'code and message only',
      error: { code: -32601, message: 'no' },
      seen: { ...bare, code: -32601, message: 'processor_version: no' },
    },
    {
      name: 'data null',
      error: { code: 1, message: 'x', data: null },
      seen: { ...bare, code: 1, message: 'processor_version: x' },
    },
    {
      name: 'data a string',
      error: { code: 1, message: 'x', data: 'text' },
      seen: { ...bare, code: 1, message: 'processor_version: x' },
    },
    {
      name: 'nothing in it',
      error: {},
      seen: { ...bare, code: 0, message: 'processor_version: the host gave no message' },
    },
    {
      name: 'a string',
      error: 'x',
      seen: { ...bare, code: 0, message: 'processor_version: the host gave no message' },
    },
  ])('of another implementation: $name', async ({ error, seen }, { host }) => {
    const { name } = await host(replyWith({ error }))
    const thrown = (await thrownBy(() =>
      connect({ socket: name }).processor.version(),
    )) as BridgeError
    const fields = Object.fromEntries(Object.entries(thrown))
    expect({ ...fields, message: thrown.message }).toEqual({
      ...seen,
      kind: undefined,
      hint: undefined,
      details: undefined,
      retryAfterMs: undefined,
      requestId: undefined,
    })
  })

  test('with id null is the answer, as the host may not have read the request', async ({
    host,
  }) => {
    const error = { code: -32001, message: 'no', data: { kind: 'PEER_REJECTED', retryable: false } }
    const { name } = await host(replyWith({ id: null, error }))
    await expect(connect({ socket: name }).processor.version()).rejects.toMatchObject({
      kind: 'PEER_REJECTED',
    })
  })

  test('"error":null beside a result is none', async ({ host }) => {
    const { name } = await host(replyWith({ ...version, error: null }))
    expect(await connect({ socket: name }).processor.version()).toBe('1.27.0')
  })
})

describe('a reply in pieces', () => {
  test.for([
    { name: 'byte by byte', pieces: `${reply}\n`.split('') },
    { name: 'newline apart', pieces: [reply, '\n'] },
    { name: 'without its newline', pieces: [reply] },
    { name: 'with bytes behind the newline', pieces: [`${reply}\nrest`] },
    { name: 'with \\r\\n', pieces: [`${reply}\r\n`] },
  ])('$name', async ({ pieces }, { host }) => {
    const { name } = await host((socket) => {
      const left = [...pieces]
      const next = () => {
        const piece = left.shift()
        if (piece === undefined) socket.end()
        else socket.write(piece, () => setImmediate(next))
      }
      next()
    })
    expect(await connect({ socket: name }).processor.version()).toBe('1.27.0')
  })

  test('is taken before the host closes', async ({ host }) => {
    const { name } = await host((socket) => socket.write(`${reply}\n`))
    expect(await connect({ socket: name }).processor.version()).toBe('1.27.0')
  })

  test('of 5 MiB, split inside UTF-8', async ({ host }) => {
    const long = '€'.repeat(1_700_000)
    const { name } = await host(replyWith({ result: { version: long } }))
    expect((await connect({ socket: name }).processor.version()) === long).toBe(true)
  })
})

describe('what is no reply', () => {
  const method = 'processor_version'
  const notRpc = (text: string) => `${method}: expected a JSON-RPC 2.0 reply, found ${text}`
  const wrongId = (found: string) => `${method}: expected a reply with id "1", found ${found}`
  const noResult = (found: string) => `${method}: expected a result object, found ${found}`
  test.for([
    { sent: 'Invalid Request', says: `${method}: expected JSON, found "Invalid Request"` },
    { sent: '', says: `${method}: expected JSON, found ""` },
    { sent: reply.slice(0, 10), says: `${method}: expected JSON, found "{\\"jsonrpc\\""` },
    { sent: 'null', says: notRpc('"null"') },
    { sent: '7', says: notRpc('"7"') },
    { sent: '[]', says: notRpc('"[]"') },
    { sent: '{}', says: notRpc('"{}"') },
    { sent: '{"jsonrpc":"1.0"}', says: notRpc('"{\\"jsonrpc\\":\\"1.0\\"}"') },
    { sent: '{"jsonrpc":"2.0","result":{}}', says: wrongId('nothing') },
    { sent: '{"jsonrpc":"2.0","id":1,"result":{}}', says: wrongId('1') },
    { sent: '{"jsonrpc":"2.0","id":"2","result":{}}', says: wrongId('"2"') },
    { sent: '{"jsonrpc":"2.0","id":null,"result":{}}', says: wrongId('null') },
    { sent: '{"jsonrpc":"2.0","id":"1"}', says: noResult('nothing') },
    { sent: '{"jsonrpc":"2.0","id":"1","result":null}', says: noResult('null') },
    { sent: '{"jsonrpc":"2.0","id":"1","result":"x"}', says: noResult('"x"') },
    { sent: '{"jsonrpc":"2.0","id":"1","result":[1]}', says: noResult('[1]') },
  ])('$sent', async ({ sent, says }, { host }) => {
    const { name } = await host((socket) => socket.end(`${sent}\n`))
    const error = await thrownBy(() => connect({ socket: name }).processor.version())
    expect(error).toMatchObject({ name: 'BridgeProtocolError', message: says })
  })

  test('a long one is shown in part', async ({ host }) => {
    const { name } = await host((socket) => socket.end('x'.repeat(1_000_000)))
    const error = (await thrownBy(() => connect({ socket: name }).processor.version())) as Error
    expect(error.message.length).toBeLessThan(200)
  })
})

describe('no reply', () => {
  test('a name that no socket can have', async () => {
    const name = 'x'.repeat(200)
    const error = await thrownBy(() => connect({ socket: name }).processor.version())
    expect(error).toBeInstanceOf(BridgeUnavailableError)
  })

  test('no BRIDGE_SOCKET', async () => {
    const error = await thrownBy(() => connect().processor.version())
    expect(error).toBeInstanceOf(BridgeUnavailableError)
    expect(error).toMatchObject({
      message:
        'BRIDGE_SOCKET is not set (it is set inside a deployment; elsewhere start `causeway serve` and pass {socket})',
      hint: 'it is set inside a deployment; elsewhere start `causeway serve` and pass {socket}',
    })
  })

  test('BRIDGE_SOCKET is read when a call is made', async ({ host }) => {
    const bridge = connect()
    const { name } = await host(replyWith(version))
    process.env['BRIDGE_SOCKET'] = name
    expect(await bridge.processor.version()).toBe('1.27.0')
  })

  test('the option wins over BRIDGE_SOCKET', async ({ host }) => {
    const { name } = await host(replyWith(version))
    process.env['BRIDGE_SOCKET'] = uniqueName()
    expect(await connect({ socket: name }).processor.version()).toBe('1.27.0')
  })

  test('nobody listens', async () => {
    const name = uniqueName()
    const error = await thrownBy(() => connect({ socket: name, retries: 0 }).processor.version())
    expect(error).toBeInstanceOf(BridgeUnavailableError)
    expect(error).toMatchObject({
      hint: 'is the host running, and this process inside its deployment?',
      cause: { code: 'ECONNREFUSED' },
    })
    expect((error as Error).message).toContain(name)
  })

  test('nobody listens at first', async () => {
    const name = uniqueName()
    const calling = connect({ socket: name, retries: 12 }).processor.version()
    // In the turn in which the first try has failed already.
    await new Promise((resolve) => setTimeout(resolve, 20))
    await using _host = await startRecordingBridge(replyWith(version), name)
    expect(await calling).toBe('1.27.0')
  })

  const lost = {
    name: 'BridgeUnavailableError',
    hint: 'the host may or may not have carried out the call',
  }
  test('the host closes without a byte', async ({ host }) => {
    const { name, connections } = await host((socket) => socket.end())
    const error = await thrownBy(() => connect({ socket: name }).processor.version())
    expect(error).toMatchObject({
      ...lost,
      message: `the host closed the connection without a reply (${lost.hint})`,
    })
    // It was sent, so it is not sent again.
    expect(connections()).toBe(1)
  })

  test('the host resets the connection', async ({ host }) => {
    const { name, connections } = await host((socket) => socket.destroy())
    const big = new Uint8Array(3_000_000)
    const { signer } = connect({ socket: name })
    const error = await thrownBy(() => signer.sign({ curve: 'ed25519', bytes: big }))
    expect(error).toMatchObject(lost)
    expect(connections()).toBe(1)
  })
})

describe('time', () => {
  test.for([
    { name: 'of the client', client: { timeoutMs: 60 }, call: {} },
    { name: 'of the call', client: { timeoutMs: 60_000 }, call: { timeoutMs: 60 } },
  ])('runs out: $name', async ({ client, call }, { host }) => {
    const before = openSockets()
    const { name } = await host(() => {})
    const bridge = connect({ socket: name, ...client })
    const error = await thrownBy(() => bridge.processor.version(call))
    expect(error).toMatchObject({
      name: 'BridgeUnavailableError',
      message: 'processor_version: no answer within 60 ms (raise timeoutMs or look at the host)',
      cause: { name: 'TimeoutError' },
    })
    // The two listening sockets and the host's end.
    expect(openSockets()).toBeLessThanOrEqual(before + 3)
  })

  test('counts the retries in', async () => {
    const bridge = connect({ socket: uniqueName(), retries: 1000, timeoutMs: 80 })
    const started = performance.now()
    await expect(bridge.processor.version()).rejects.toBeInstanceOf(BridgeUnavailableError)
    expect(performance.now() - started).toBeLessThan(2000)
  })
})

describe('AbortSignal', () => {
  test('aborted before: nothing is connected', async ({ host }) => {
    const { name, connections } = await host(replyWith(version))
    const bridge = connect({ socket: name })
    const reason = new Error('stop')
    const signal = AbortSignal.abort(reason)
    expect(await thrownBy(() => bridge.processor.version({ signal }))).toBe(reason)
    // A call after it would be accepted after it.
    await bridge.processor.version()
    expect(connections()).toBe(1)
  })

  test('aborted while waiting for the reply', async ({ host }) => {
    const controller = new AbortController()
    const reason = new Error('stop')
    const { name } = await host(() => controller.abort(reason))
    const bridge = connect({ socket: name })
    const { signal } = controller
    expect(await thrownBy(() => bridge.processor.version({ signal }))).toBe(reason)
  })

  test('aborted between two tries', async () => {
    const controller = new AbortController()
    const bridge = connect({ socket: uniqueName(), retries: 1000 })
    const calling = thrownBy(() => bridge.processor.version({ signal: controller.signal }))
    setTimeout(() => controller.abort(), 30)
    expect(await calling).toMatchObject({ name: 'AbortError' })
  })

  test('leaves no listener behind', async ({ host }) => {
    const { name } = await host(replyWith(version))
    const bridge = connect({ socket: name })
    const { signal } = new AbortController()
    const warnings: Error[] = []
    const onWarning = (warning: Error) => warnings.push(warning)
    process.on('warning', onWarning)
    for (let call = 0; call < 30; call++) await bridge.processor.version({ signal })
    process.off('warning', onWarning)
    expect(warnings).toEqual([])
  })
})
