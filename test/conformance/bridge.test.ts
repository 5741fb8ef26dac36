/**
 * The bridge as its clients see it: bytes over a real abstract socket, without any client of ours.
 */
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { setImmediate as nextTurn, setTimeout as delay } from 'node:timers/promises'
import { bindAbstract } from '@causeway/native'
import { closeFd } from '@causeway/native/process'
import { describe, expect } from 'vitest'
import type { Handlers } from '../../runtime/src/bridge/methods.ts'
import { startBridge, test, uniqueName } from '../support/bridge-fixture.ts'
import { openSockets } from '../support/open-descriptors.ts'
import { askWithPython } from '../support/python-client.ts'
import { flood } from '../support/python-flood.ts'
import { holdConnections } from '../support/python-crowd.ts'
import { connectRaw, readToEnd, sendRaw } from '../support/raw-client.ts'
import { thrownBy } from '../support/thrown.ts'

const line = '{"jsonrpc":"2.0","method":"processor_version","params":[],"id":"1"}'
const answer = '{"jsonrpc":"2.0","id":"1","result":{"version":"1.27.0"}}\n'
const good = { text: answer, end: 'eof' }
const slotLine = '{"jsonrpc":"2.0","method":"deployment_slot","params":[],"id":"1"}'

const isRoot = process.getuid?.() === 0
const nobody = 65534
const slowMs = 300
const slow: Partial<Handlers> = {
  deployment_slot: async () => {
    await delay(slowMs)
    return { slot: 9 }
  },
}
const slowAnswer = { text: '{"jsonrpc":"2.0","id":"1","result":{"slot":9}}\n', end: 'eof' }

/** The error of a reply line. */
function errorOf(text: string): { code: number; message: string; data: Record<string, unknown> } {
  const { jsonrpc, id, error } = JSON.parse(text) as Record<string, unknown>
  expect({ jsonrpc, id }).toEqual({ jsonrpc: '2.0', id: null })
  return error as ReturnType<typeof errorOf>
}

/** Resolves when `read` returns `value`; the test's own time limit ends the wait. */
async function until<T>(read: () => T | Promise<T>, value: T): Promise<void> {
  while ((await read()) !== value) await delay(5)
}

describe('one line in, one line out, close (bridge spec, Transport rules)', () => {
  test.for([
    { name: 'ended by \\n', sent: [`${line}\n`] },
    { name: 'ended by \\r\\n', sent: [`${line}\r\n`] },
    { name: '\\r and \\n in two parts', sent: [`${line}\r`, '\n'] },
    { name: 'blank lines before', sent: [`\n\r\n\n${line}\n`] },
    { name: 'blank lines before, in separate pieces', sent: ['\n', '\r', '\n', `${line}\n`] },
    { name: 'blanks around', sent: [`  ${line}\t \n`] },
    { name: 'a second request after it', sent: [`${line}\n${slotLine}\n`] },
    { name: 'trailing bytes', sent: [`${line}\nxyz`] },
    { name: 'a megabyte of trailing bytes', sent: [`${line}\n`, Buffer.alloc(1 << 20)] },
  ])('$name', async ({ sent }, { open }) => {
    const { name } = open()
    expect(await sendRaw(name, sent)).toEqual(good)
  })

  test.for([
    { name: 'a second request', sent: [`${line}\n`, `${slotLine}\n`] },
    { name: 'bytes without an end', sent: [`${line}\n`, 'x', 'y', 'z'] },
  ])('the reply reaches a client that still sends: $name', async ({ sent }, { open }) => {
    const { name } = open()
    // The end of the connection depends on whether its last bytes arrived while it was open.
    expect((await sendRaw(name, sent)).text).toBe(answer)
  })

  test.for([
    { name: 'no newline, half-closed', sent: [line] },
    { name: 'a lone \\r at the end', sent: [`${line}\r`] },
    { name: 'newline, half-closed', sent: [`${line}\n`] },
    { name: 'trailing bytes, half-closed', sent: [`${line}\nxyz`] },
  ])('$name', async ({ sent }, { open }) => {
    const { name } = open()
    expect(await sendRaw(name, sent, { halfClose: true })).toEqual(good)
  })

  test('split at every byte', async ({ open }) => {
    const { name } = open()
    const whole = Buffer.from(`${line}\r\n`)
    for (let at = 1; at < whole.length; at++) {
      expect(await sendRaw(name, [whole.subarray(0, at), whole.subarray(at)])).toEqual(good)
    }
  })

  test('byte by byte', async ({ open }) => {
    const { name } = open()
    const bytes = [...Buffer.from(`${line}\n`)].map((byte) => Buffer.of(byte))
    expect(await sendRaw(name, bytes)).toEqual(good)
  })

  test('split inside a UTF-8 sequence', async ({ open }) => {
    const { name } = open()
    const whole = Buffer.from('{"jsonrpc":"2.0","method":"deployment_slot","id":"é€😀"}\n')
    const text = '{"jsonrpc":"2.0","id":"é€😀","result":{"slot":3}}\n'
    for (let at = whole.indexOf(0xc3); at < whole.length; at++) {
      const reply = await sendRaw(name, [whole.subarray(0, at), whole.subarray(at)])
      expect(reply).toEqual({ text, end: 'eof' })
    }
  })

  test('compact: no blank between tokens, one newline at the end', async ({ open }) => {
    const { name } = open()
    for (const method of ['deployment_id', 'deployment_assignedProcessors', 'nonsense']) {
      const { text } = await sendRaw(name, [`{"jsonrpc":"2.0","method":"${method}","id":1}\n`])
      expect(`${JSON.stringify(JSON.parse(text))}\n`).toBe(text)
    }
  })

  test('blank lines without end are over the limit, too', async ({ open }) => {
    const { name } = open({ limits: { maxLineBytes: 1000 } })
    const { text } = await sendRaw(name, ['\r\n'.repeat(300), '\n'.repeat(500)])
    expect(errorOf(text)).toMatchObject({ code: -32005, data: { kind: 'LIMIT_EXCEEDED' } })
  })

  test('a numeric id beyond 2^53 comes back digit by digit', async ({ open }) => {
    const { name } = open()
    const sent = '{"jsonrpc":"2.0","method":"processor_version","id":1763632800123456789}\n'
    const text = '{"jsonrpc":"2.0","id":1763632800123456789,"result":{"version":"1.27.0"}}\n'
    expect(await sendRaw(name, [sent])).toEqual({ text, end: 'eof' })
  })

  test('a large reply reaches a client that reads late', async ({ open }) => {
    const bytes = 'ab'.repeat(400_000)
    const { name } = open({
      handlers: { signer_sign: () => ({ bytes }) },
      limits: { drainTimeoutMs: 50 },
    })
    const socket = connectRaw(name)
    socket.write(
      '{"jsonrpc":"2.0","method":"signer_sign","params":[{"curve":"p256","bytes":""}],"id":"1"}\n',
    )
    // Longer than the bridge waits for a peer that has its reply.
    await delay(300)
    expect(await readToEnd(socket)).toEqual({
      text: `{"jsonrpc":"2.0","id":"1","result":{"bytes":"${bytes}"}}\n`,
      end: 'eof',
    })
  })

  test('the reply comes in one piece, for clients that read once', async ({ open }) => {
    const { name } = open()
    const socket = connectRaw(name)
    socket.write('{"jsonrpc":"2.0","method":"deployment_assignedProcessors","id":1}\n')
    const [first] = (await once(socket, 'data')) as [Buffer]
    expect(first.at(-1)).toBe(0x0a)
    socket.destroy()
  })

  test('closes without waiting for the client to close', async ({ open }) => {
    const { name } = open()
    const before = openSockets()
    const socket = connectRaw(name)
    socket.resume().write(`${line}\n`)
    await once(socket, 'end')
    // Only our own end of the connection is open.
    await until(openSockets, before + 1)
    socket.destroy()
  })

  test('a notification is carried out and closed without a reply', async ({ open }) => {
    let calls = 0
    const handlers = { deployment_slot: () => (calls++, { slot: 1 }) }
    const { name } = open({ handlers })
    const sent = '{"jsonrpc":"2.0","method":"deployment_slot"}\n'
    expect(await sendRaw(name, [sent])).toEqual({ text: '', end: 'eof' })
    expect(calls).toBe(1)
  })

  test('a long request and a long reply', async ({ open }) => {
    const { name } = open()
    const id = 'x'.repeat(900_000)
    const sent = JSON.stringify({ jsonrpc: '2.0', method: 'deployment_slot', id })
    const text = `{"jsonrpc":"2.0","id":"${id}","result":{"slot":3}}\n`
    const reply = await sendRaw(name, [`${sent}\n`])
    expect({ same: reply.text === text, end: reply.end }).toEqual({ same: true, end: 'eof' })
  })
})

describe('a slow reply', () => {
  test('reaches a client that half-closed', async ({ open }) => {
    const { name } = open({ handlers: slow })
    expect(await sendRaw(name, [`${slotLine}\n`], { halfClose: true })).toEqual(slowAnswer)
  })

  test('reaches a client that half-closed instead of a newline', async ({ open }) => {
    const { name } = open({ handlers: slow })
    expect(await sendRaw(name, [slotLine], { halfClose: true })).toEqual(slowAnswer)
  })

  test('reaches a client that keeps sending', async ({ open }) => {
    const { name } = open({ handlers: slow })
    expect(await sendRaw(name, [`${slotLine}\n`, 'more', 'and more\n'])).toEqual(slowAnswer)
  })

  test('does not delay other calls', async ({ open }) => {
    const { name } = open({ handlers: slow })
    const order: string[] = []
    const note = (what: string) => () => order.push(what)
    await Promise.all([
      sendRaw(name, [`${slotLine}\n`]).then(note('slow')),
      sendRaw(name, [`${line}\n`]).then(note('quick')),
    ])
    expect(order).toEqual(['quick', 'slow'])
  })

  test('leaves nothing open when the client hangs up', async ({ open }) => {
    const before = openSockets()
    const { name, lines } = open({ handlers: slow })
    const socket = connectRaw(name)
    socket.write(`${slotLine}\n`)
    await once(socket, 'connect')
    await nextTurn()
    socket.destroy()
    await delay(slowMs * 1.5)
    expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
    // Only the two listening sockets are open.
    await until(openSockets, before + 2)
    expect(lines).toEqual([])
  })
})

describe('input that is not a request', () => {
  test.for([
    { name: 'binary', sent: Buffer.concat([Buffer.of(0xff, 0), randomBytes(100), Buffer.of(10)]) },
    { name: 'NUL bytes', sent: Buffer.concat([Buffer.alloc(64), Buffer.of(10)]) },
    { name: 'a TLS hello', sent: Buffer.from('16030100b1010000ad0303ff0a', 'hex') },
    { name: 'text', sent: Buffer.from('hello\n') },
  ])('is -32700: $name', async ({ sent }, { open }) => {
    const { name } = open()
    const { text, end } = await sendRaw(name, [sent], { halfClose: true })
    expect({ end, error: errorOf(text) }).toMatchObject({
      end: 'eof',
      error: { code: -32700, data: { kind: 'PARSE' } },
    })
  })

  test('an HTTP client reads an error about HTTP', async ({ open }) => {
    const { name } = open()
    const sent = 'POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\n\r\n{}'
    const { text, end } = await sendRaw(name, [sent])
    expect(end).toBe('eof')
    expect(errorOf(text)).toEqual({
      code: -32700,
      message: 'this socket speaks JSON-RPC 2.0 lines, found an HTTP request',
      data: { kind: 'PARSE', retryable: false, hint: 'send one JSON object and a newline' },
    })
  })

  test('closes without a byte when the stream ends without one', async ({ open }) => {
    const { name } = open()
    expect(await sendRaw(name, [], { halfClose: true })).toEqual({ text: '', end: 'eof' })
  })

  const onlyBlankLines = {
    code: -32700,
    message: 'expected a request, found only blank lines',
    data: { kind: 'PARSE', retryable: false, hint: 'send one JSON object and a newline' },
  }

  test.for([
    { name: 'one', sent: ['\n'] },
    { name: 'several, in pieces', sent: ['\n\n', '\r\n'] },
    { name: 'a lone \\r', sent: ['\r'] },
  ])('the stream ends after blank lines: $name', async ({ sent }, { open }) => {
    const { name } = open({ limits: { lineTimeoutMs: Infinity } })
    const { text, end } = await sendRaw(name, sent, { halfClose: true })
    expect({ end, error: errorOf(text) }).toEqual({ end: 'eof', error: onlyBlankLines })
  })

  test('blank lines and nothing else until the deadline', async ({ open }) => {
    const { name } = open({ limits: { lineTimeoutMs: 50 } })
    const { text, end } = await sendRaw(name, ['\n', '\r\n'])
    expect({ end, error: errorOf(text) }).toEqual({ end: 'eof', error: onlyBlankLines })
  })

  test('connecting and closing 200 times leaves no socket open', async ({ open }) => {
    const { name } = open()
    const before = openSockets()
    for (let index = 0; index < 200; index++) {
      const socket = connectRaw(name)
      await once(socket, 'connect')
      socket.destroy()
    }
    await until(openSockets, before)
    expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
  })
})

describe('limits', () => {
  const oversize = (maxLineBytes: number) => ({
    code: -32005,
    message: `the request line is over ${maxLineBytes} bytes`,
    data: { kind: 'LIMIT_EXCEEDED', retryable: false, details: { maxLineBytes } },
  })
  const padded = (length: number) => `${line}${' '.repeat(length - line.length)}`

  test.for([
    { name: 'in one piece', sent: [`${padded(200)}\n`] },
    { name: 'with \\r\\n', sent: [`${padded(200)}\r\n`] },
    { name: 'with \\r\\n apart', sent: [padded(200), '\r', '\n'] },
    { name: 'in parts', sent: [padded(150), `${' '.repeat(50)}\n`] },
  ])('a line of 200 bytes may come $name', async ({ sent }, { open }) => {
    const { name } = open({ limits: { maxLineBytes: 200 } })
    expect(await sendRaw(name, sent)).toEqual(good)
  })

  test.for([
    { name: 'one byte over', sent: [`${padded(201)}\n`] },
    { name: 'one byte over, newline in a separate piece', sent: [padded(201), '\n'] },
    { name: 'two bytes over, no newline', sent: [padded(202)] },
    { name: 'far over, in pieces', sent: [padded(150), padded(150), padded(150)] },
  ])('a line over 200 bytes is refused: $name', async ({ sent }, { open }) => {
    const { name } = open({ limits: { maxLineBytes: 200 } })
    const { text, end } = await sendRaw(name, sent)
    expect({ end, error: errorOf(text) }).toEqual({ end: 'eof', error: oversize(200) })
  })

  test('a client in the middle of a line that is too long can finish sending and read why', async ({
    open,
  }) => {
    const { name } = open({ limits: { maxLineBytes: 200 } })
    const socket = connectRaw(name)
    const failures: unknown[] = []
    const send = () => socket.write('x'.repeat(300), (error) => error && failures.push(error))
    send()
    await delay(50)
    send()
    await delay(50)
    expect(errorOf((await readToEnd(socket)).text)).toEqual(oversize(200))
    expect(failures).toEqual([])
  })

  test('a line of 4 MiB is refused while it is being sent', async ({ open }) => {
    const { name } = open()
    const { text, end } = await sendRaw(name, [Buffer.alloc(4 << 20, 'x')])
    expect(end).toBe('eof')
    expect(errorOf(text)).toEqual(oversize(1 << 20))
  })

  test('a client that never stops sending is cut off', async ({ open }) => {
    const limits = { maxLineBytes: 1000, maxDrainBytes: 1 << 20 }
    const { name } = open({ limits })
    const before = openSockets()
    const socket = connectRaw(name)
    const reply = readToEnd(socket.on('end', () => {}))
    socket.on('error', () => {})
    while (!socket.destroyed && socket.writable) {
      socket.write(Buffer.alloc(1 << 16, 'x'))
      await nextTurn()
    }
    expect(errorOf((await reply).text)).toEqual(oversize(1000))
    await until(openSockets, before)
  })

  test.for([
    { name: 'nothing is sent', pieces: 0 },
    { name: 'bytes come one by one', pieces: 100 },
  ])('a complete line must come in time: $name', async ({ pieces }, { open }) => {
    const lineTimeoutMs = 150
    const { name } = open({ limits: { lineTimeoutMs } })
    const socket = connectRaw(name)
    const reply = readToEnd(socket)
    const started = performance.now()
    for (let piece = 0; piece < pieces && !socket.destroyed; piece++) {
      socket.write('{')
      await delay(10)
    }
    const { text, end } = await reply
    expect(end).toBe('eof')
    expect(errorOf(text)).toEqual({
      code: -32005,
      message: `no whole request line within ${lineTimeoutMs} ms`,
      data: {
        kind: 'LIMIT_EXCEEDED',
        retryable: true,
        retryAfterMs: 0,
        details: { lineTimeoutMs },
      },
    })
    expect(performance.now() - started).toBeGreaterThan(lineTimeoutMs - 20)
  })

  test('the time limit for a line does not apply to the answer', async ({ open }) => {
    const { name } = open({ handlers: slow, limits: { lineTimeoutMs: 100 } })
    expect(await sendRaw(name, [`${slotLine}\n`])).toEqual(slowAnswer)
  })

  test('more calls in flight than allowed are answered -32005', async ({ open }) => {
    const { name } = open({ handlers: slow, limits: { maxInFlight: 2 } })
    const replies = await Promise.all(
      Array.from({ length: 5 }, () => sendRaw(name, [`${slotLine}\n`])),
    )
    const refused = replies.filter(({ text }) => text !== slowAnswer.text)
    const busy = {
      jsonrpc: '2.0',
      id: '1',
      error: {
        code: -32005,
        message: 'too many calls in flight on this bridge (limit 2)',
        data: { kind: 'LIMIT_EXCEEDED', retryable: true, retryAfterMs: 50 },
      },
    }
    expect(refused.map(({ text }) => JSON.parse(text) as unknown)).toEqual([busy, busy, busy])
    expect(await sendRaw(name, [`${slotLine}\n`])).toEqual(slowAnswer)
  })

  test('a notification over that limit is closed without a byte', async ({ open }) => {
    const { name } = open({ handlers: slow, limits: { maxInFlight: 1 } })
    const first = sendRaw(name, [`${slotLine}\n`])
    const notification = '{"jsonrpc":"2.0","method":"deployment_slot"}\n'
    await until(async () => (await sendRaw(name, [`${line}\n`])).text !== answer, true)
    expect(await sendRaw(name, [notification])).toEqual({ text: '', end: 'eof' })
    expect(await first).toEqual(slowAnswer)
  })

  test('more connections than allowed are answered -32005, until others close', async ({
    open,
  }) => {
    const { name } = open({ limits: { maxConnections: 3 } })
    const before = openSockets()
    const idle = Array.from({ length: 3 }, () => connectRaw(name))
    await until(openSockets, before + 6)
    const { text } = await sendRaw(name, [`${line}\n`])
    expect(errorOf(text)).toEqual({
      code: -32005,
      message: 'too many open connections on this bridge (limit 3)',
      data: { kind: 'LIMIT_EXCEEDED', retryable: true, retryAfterMs: 50 },
    })
    idle[0]?.destroy()
    // Both ends of the two other connections are open.
    await until(openSockets, before + 4)
    expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
    for (const socket of idle) socket.destroy()
  })

  test('refused connections are closed, whatever they send', async ({ open }) => {
    const { name } = open({ limits: { maxConnections: 1, drainTimeoutMs: 60_000 } })
    const before = openSockets()
    const idle = connectRaw(name)
    // Each address has its own queue: this connection must be accepted before others come.
    await until(openSockets, before + 2)
    await using crowd = await holdConnections(name, 1100)
    expect(crowd.replies).toBe(1100)
    // Both ends of the first connection, those that may linger, and the crowd's stdin and stdout.
    await until(openSockets, before + 2 + 1024 + 2)
    idle.destroy()
  })

  test('1,000 clients at once: each gets its answer or -32005, none hangs', async ({ open }) => {
    const before = openSockets()
    const { name } = open()
    const replies = await Promise.all(
      Array.from({ length: 1000 }, () => sendRaw(name, [`${line}\n`])),
    )
    const answered = replies.filter(({ text }) => text === answer)
    const refused = replies.filter(({ text }) => text !== answer)
    expect(answered.length).toBeGreaterThanOrEqual(256)
    expect(new Set(replies.map(({ end }) => end))).toEqual(new Set(['eof']))
    expect(new Set(refused.map(({ text }) => errorOf(text).code))).toEqual(
      new Set(refused.length > 0 ? [-32005] : []),
    )
    await until(openSockets, before + 2)
  }, 30_000)
})

describe('addresses (DESIGN, Bridge: Addresses)', () => {
  test.for(['exact', 'padded'] as const)('python on the %s form', async (form, { open }) => {
    const { name } = open()
    expect(await askWithPython(name, `${line}\n`, { form })).toBe(answer)
    expect(await askWithPython(name, line, { form, halfClose: true })).toBe(answer)
  })

  test.for([1, 106, 107])('a name of %i bytes', async (length, { open }) => {
    const name = uniqueName().padEnd(107, 'x').slice(-length)
    open({ name })
    const forms = length === 107 ? (['exact'] as const) : (['exact', 'padded'] as const)
    for (const form of forms) {
      expect(await askWithPython(name, `${line}\n`, { form })).toBe(answer)
    }
    expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
  })

  test.for(['exact', 'padded'] as const)(
    'when the %s form is taken, the bridge leaves nothing open',
    async (form) => {
      const before = openSockets()
      const name = uniqueName()
      const fd = bindAbstract(name, form)
      expect(await thrownBy(() => startBridge({ name }))).toMatchObject({
        kind: 'SOCKET_UNAVAILABLE',
        cause: { code: 'EADDRINUSE' },
      })
      expect(openSockets()).toBe(before + 1)
      closeFd(fd)
      const bridge = startBridge({ name })
      expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
      bridge.stop()
    },
  )

  test.for([
    { flooded: 'exact', used: 'padded' },
    { flooded: 'padded', used: 'exact' },
  ] as const)(
    'a flood on the $flooded form does not shut out clients of the other',
    { timeout: 30_000 },
    async ({ flooded, used }, { open }) => {
      const { name } = open()
      await using _ = await flood(name, flooded, 4)
      for (let call = 0; call < 3; call++) {
        expect(await askWithPython(name, `${line}\n`, { form: used })).toBe(answer)
      }
    },
  )

  test('two bridges do not receive calls of each other', async ({ open }) => {
    const one = open({ handlers: { deployment_slot: () => ({ slot: 1 }) } })
    const two = open({ handlers: { deployment_slot: () => ({ slot: 2 }) } })
    const slots = await Promise.all([one, two].map(({ name }) => sendRaw(name, [`${slotLine}\n`])))
    expect(slots.map(({ text }) => JSON.parse(text) as unknown)).toMatchObject([
      { result: { slot: 1 } },
      { result: { slot: 2 } },
    ])
  })
})

describe('admission (DESIGN, Bridge: Admission)', () => {
  const rejected = {
    code: -32001,
    message: 'the calling process does not belong to this deployment',
    data: { kind: 'PEER_REJECTED', retryable: false },
  }

  test.skipIf(!isRoot)('a process of another user gets one line; needs root', async ({ open }) => {
    const { name, lines } = open()
    const text = await askWithPython(name, `${line}\n`, { uid: nobody })
    expect(text.match(/\n/g)).toHaveLength(1)
    expect(errorOf(text)).toEqual(rejected)
    expect(lines).toMatchObject([
      { level: 40, reason: 'uid', observed: nobody, peer: { uid: nobody, gid: nobody } },
    ])
  })

  test.skipIf(!isRoot)('a process of the admitted user is served; needs root', async ({ open }) => {
    const { name } = open({ membership: { by: 'uid', uid: nobody } })
    expect(await askWithPython(name, `${line}\n`, { uid: nobody })).toBe(answer)
    expect(errorOf((await sendRaw(name, [`${line}\n`])).text)).toEqual(rejected)
  })

  test('nobody may call before the first admission', async ({ open }) => {
    const { name, lines, admit } = open({ membership: null })
    expect(errorOf((await sendRaw(name, [`${line}\n`])).text)).toEqual(rejected)
    expect(lines).toMatchObject([{ reason: 'not-open', peer: { pid: process.pid } }])
    admit({ by: 'uid', uid: process.getuid?.() ?? 0 })
    expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
  })

  test('the refusal comes before any byte is read', async ({ open }) => {
    const { name } = open({ membership: null })
    const { text, end } = await sendRaw(name, [])
    expect({ end, error: errorOf(text) }).toEqual({ end: 'eof', error: rejected })
  })

  test('strangers do not use up the connections of the job', async ({ open }) => {
    const limits = { maxConnections: 2, drainTimeoutMs: 60_000 }
    const { name, admit } = open({ membership: null, limits })
    await using strangers = await holdConnections(name, 20)
    expect(strangers.replies).toBe(20)
    admit({ by: 'uid', uid: process.getuid?.() ?? 0 })
    expect(await sendRaw(name, [`${line}\n`])).toEqual(good)
  })

  test('the first refusal is logged, later ones as a sum', async ({ open }) => {
    const bridge = open({ membership: null })
    for (let call = 0; call < 5; call++) await sendRaw(bridge.name, [`${line}\n`])
    bridge.stop()
    expect(bridge.lines).toMatchObject([{ reason: 'not-open' }, { refused: { 'not-open': 4 } }])
  })
})

describe('a refused client that sends late', () => {
  test('can still send, and then read why', async ({ open }) => {
    const { name } = open({ membership: null })
    const socket = connectRaw(name)
    await once(socket, 'connect')
    await delay(50)
    const reply = readToEnd(socket)
    await new Promise<void>((resolve, reject) => {
      socket.write(`${line}\n`, (error) => (error ? reject(error) : resolve()))
    })
    expect(errorOf((await reply).text)).toMatchObject({ code: -32001 })
  })
})

describe('stop', () => {
  test('closes idle connections, answers calls in flight, and frees both addresses', async () => {
    const before = openSockets()
    let calls = 0
    const handlers = { deployment_slot: () => (calls++, delay(slowMs, { slot: 9 })) }
    const bridge = startBridge({ handlers })
    const { name } = bridge
    const idle = connectRaw(name)
    await once(idle, 'connect')
    const idleEnd = readToEnd(idle)
    const inFlight = sendRaw(name, [`${slotLine}\n`])
    await until(() => calls, 1)
    bridge.stop()
    expect((await idleEnd).text).toBe('')
    expect(errorOf((await inFlight).text)).toEqual({
      code: -32603,
      message: 'this bridge is closing',
      data: { kind: 'UNAVAILABLE', retryable: true },
    })
    expect(await sendRaw(name, [])).toEqual({ text: '', end: 'ECONNREFUSED' })
    for (const form of ['exact', 'padded'] as const) closeFd(bindAbstract(name, form))
    // The call's answer comes when its connection is already closed.
    await delay(slowMs * 1.2)
    expect(openSockets()).toBe(before)
    expect(bridge.lines).toEqual([])
  })
})
