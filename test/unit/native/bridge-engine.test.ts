import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterEach, describe, expect, it } from 'vitest'
import { startBridgeEngine, type BridgeEngine, type EngineRefusal } from '@causeway/native'
import { openSockets } from '../../support/open-descriptors.ts'

const limits = {
  maxLineBytes: 1000,
  lineTimeoutMs: Infinity,
  maxConnections: 10,
  maxBufferedBytes: 100_000,
  sendTimeoutMs: Infinity,
  maxDrainBytes: 1000,
  drainTimeoutMs: 0,
}
const notices = {
  lineTooLong: 'too long',
  lineTooLate: 'too late',
  onlyBlankLines: 'only blank lines',
  tooManyConnections: 'too many',
  buffersFull: 'full',
  peerRejected: 'rejected',
}
const own = {
  pid: process.pid,
  uid: process.getuid!(),
  gid: process.getgid!(),
}
const ownUser = { by: 'uid', uid: own.uid } as const

interface Call {
  line: string | Buffer
  peer: typeof own
  tag: number
}

const engines: BridgeEngine[] = []
afterEach(() => {
  for (const engine of engines.splice(0)) engine.close('')
})

function open(options: { name?: string; limits?: Partial<typeof limits> } = {}) {
  const name = options.name ?? `causeway-test-${randomUUID()}`
  const calls: Call[] = []
  const refusals: EngineRefusal[] = []
  const waiting: (() => void)[] = []
  const engine = startBridgeEngine({
    name,
    limits: { ...limits, ...options.limits },
    notices,
    onLine: (line, peer, tag) => {
      calls.push({ line, peer, tag })
      waiting.shift()?.()
    },
    onLinesEnd: () => {},
    onRefusal: (refusal) => refusals.push(refusal),
  })
  engines.push(engine)
  /** The next call, which the test answers. */
  const called = async () => {
    if (calls.length === 0) await new Promise<void>((resolve) => waiting.push(resolve))
    return calls.shift()!
  }
  return { name, engine, called, refusals }
}

function send(name: string, line: string): Socket {
  const socket = connect(`\0${name}`)
  if (line) socket.write(line)
  return socket
}

const signals = `
import os, sys
print(flush=True)
while True: os.kill(int(sys.argv[1]), 12)
`

describe('a line', () => {
  it('comes with its peer, and its reply goes out with a newline', async () => {
    const { name, engine, called } = open()
    engine.admit(ownUser)
    const socket = send(name, 'hello\n')
    const { line, peer, tag } = await called()
    expect({ line, peer }).toEqual({ line: 'hello', peer: own })
    expect(engine.judgeAgain(tag)).toBe(undefined)
    expect(engine.reply(tag, 'welcome')).toBe(true)
    expect(await text(socket)).toBe('welcome\n')
  })

  it('is a string when it is ASCII, else its bytes', async () => {
    const { name, engine, called } = open()
    engine.admit(ownUser)
    send(name, 'plain\r\n')
    expect((await called()).line).toBe('plain')
    send(name, 'schön\n')
    expect((await called()).line).toEqual(Buffer.from('schön'))
  })

  it('may be answered by nothing, and only once', async () => {
    const { name, engine, called } = open()
    engine.admit(ownUser)
    const socket = send(name, 'hello\n')
    const { tag } = await called()
    expect(engine.reply(tag, undefined)).toBe(true)
    expect(await text(socket)).toBe('')
    expect(engine.reply(tag, 'late')).toBe(false)
    expect(engine.judgeAgain(tag)).toEqual({ reason: 'gone', observed: 0 })
  })

  it('has a peer that is alive, also when signals come in between', async () => {
    const { name, engine, called } = open()
    engine.admit({ by: 'pid-namespace', uid: own.uid, pid: own.pid })
    send(name, 'hello\n')
    const { tag } = await called()
    const ignore = () => {}
    process.on('SIGUSR2', ignore)
    const flood = spawn('python3', ['-c', signals, String(own.pid)])
    await once(flood.stdout, 'data')
    const judgements = new Set<unknown>()
    for (let left = 150_000; left > 0; left--) judgements.add(engine.judgeAgain(tag)?.reason)
    flood.kill('SIGKILL')
    await once(flood, 'exit')
    process.off('SIGUSR2', ignore)
    expect([...judgements]).toEqual([undefined])
  })

  it('keeps its tag to itself: a late reply reaches no later connection', async () => {
    const { name, engine, called } = open()
    engine.admit(ownUser)
    send(name, 'one\n')
    const first = await called()
    engine.reply(first.tag, 'first')
    const socket = send(name, 'two\n')
    const second = await called()
    expect(engine.reply(first.tag, 'for the first')).toBe(false)
    expect(engine.reply(second.tag, 'second')).toBe(true)
    expect(await text(socket)).toBe('second\n')
  })
})

describe('who may call', () => {
  // Without a byte: a write to what is closed already would fail before the reply is read.
  const refused = async (name: string) => expect(await text(send(name, ''))).toBe('rejected\n')

  it('is nobody at first', async () => {
    const { name, refusals } = open()
    await refused(name)
    expect(refusals).toEqual([{ reason: 'not-open', count: 1, peer: own, observed: 0 }])
  })

  it('is not another user', async () => {
    const { name, engine, refusals } = open()
    engine.admit({ by: 'uid', uid: own.uid + 1 })
    await refused(name)
    expect(refusals).toEqual([{ reason: 'uid', count: 1, peer: own, observed: own.uid }])
  })

  it('is not who has another tracer', async () => {
    const { name, engine, refusals } = open()
    engine.admit({ by: 'tracer', uid: own.uid, pid: process.ppid })
    await refused(name)
    expect(refusals).toEqual([{ reason: 'tracer', count: 1, peer: own, observed: 0 }])
  })

  it('is whoever lives in that PID namespace, when that is ours', async () => {
    const { name, engine, called } = open()
    engine.admit({ by: 'pid-namespace', uid: own.uid, pid: process.pid })
    send(name, 'hello\n')
    const { peer, tag } = await called()
    expect(peer).toEqual(own)
    expect(engine.judgeAgain(tag)).toBe(undefined)
  })

  it('is decided anew for connections that come later', async () => {
    const { name, engine, called, refusals } = open()
    engine.admit(ownUser)
    const early = send(name, 'hello\n')
    const { tag } = await called()
    engine.admit({ by: 'uid', uid: own.uid + 1 })
    await refused(name)
    expect(refusals).toHaveLength(1)
    engine.reply(tag, 'welcome')
    expect(await text(early)).toBe('welcome\n')
  })

  it.each([
    ['pid-namespace', 'ENOENT'],
    ['tracer', 'ESRCH'],
  ] as const)('cannot be told by the %s of a process that is gone', async (by, code) => {
    const { name, engine, called } = open()
    engine.admit(ownUser)
    const pid = await endedProcess()
    expect(() => engine.admit({ by, uid: own.uid, pid })).toThrow(expect.objectContaining({ code }))
    // What held before still holds.
    send(name, 'hello\n')
    expect((await called()).line).toBe('hello')
  })

  it.each([
    [{ by: 'uid', uid: -1 }, /uid/],
    [{ by: 'uid', uid: 2 ** 32 - 1 }, /uid/],
    [{ by: 'tracer', uid: 1, pid: 0 }, /pid/],
    [{ by: 'pid-namespace', uid: 1, pid: 1.5 }, /pid/],
  ] as const)('cannot be %j', (membership, named) => {
    expect(() => open().engine.admit(membership)).toThrow(named)
  })
})

describe('limits', () => {
  it('of connections: one more is turned away and counted', async () => {
    const { name, engine, called, refusals } = open({ limits: { maxConnections: 1 } })
    engine.admit(ownUser)
    send(name, 'one\n')
    const { tag } = await called()
    expect(await text(send(name, ''))).toBe('too many\n')
    expect(refusals).toEqual([{ reason: 'too-many', count: 1, peer: own, observed: 0 }])
    engine.reply(tag, 'done')
  })

  it.each([
    ['a line', { maxLineBytes: 3 }, 'hello\n', 'too long\n'],
    ['all lines', { maxBufferedBytes: 3 }, 'hello', 'full\n'],
    ['the time for a line', { lineTimeoutMs: 1 }, 'hello', 'too late\n'],
  ])('of %s', async (_what, limit, bytes, reply) => {
    const { name, engine } = open({ limits: limit })
    engine.admit(ownUser)
    expect(await text(send(name, bytes))).toBe(reply)
  })
})

describe('an engine', () => {
  it('has the last word in every call, and frees its name', async () => {
    const { name, engine, called } = open()
    engine.admit(ownUser)
    const silent = send(name, '')
    await once(silent, 'connect')
    const waiting = send(name, 'hello\n')
    await called()
    engine.close('closing')
    expect(await text(waiting)).toBe('closing\n')
    expect(await text(silent)).toBe('')
    open({ name })
  })

  it('that is closed is kept by nobody, nor what it told', async () => {
    setFlagsFromString('--expose-gc')
    const collectGarbage = runInNewContext('gc') as () => void
    let collected = 0
    const registry = new FinalizationRegistry(() => collected++)
    const openOne = () => {
      const told = { bytes: Buffer.alloc(100_000) }
      registry.register(told, undefined)
      const engine: BridgeEngine = startBridgeEngine({
        name: `causeway-test-${randomUUID()}`,
        limits,
        notices,
        // As a bridge does: what it calls leads back to it.
        onLine: (_line, _peer, tag) => void (engine.reply(tag, undefined) && told.bytes.fill(0)),
        onLinesEnd: () => {},
        onRefusal: () => {},
      })
      engine.close('')
    }
    for (let count = 0; count < 50; count++) openOne()
    // The last one may be held by a register.
    await expect
      .poll(() => (collectGarbage(), collected), { timeout: 10_000 })
      .toBeGreaterThanOrEqual(45)
  }, 20_000)

  it('says that a name is taken, and leaves nothing open', () => {
    const { name } = open()
    const before = openSockets()
    expect(() => open({ name })).toThrow(expect.objectContaining({ code: 'EADDRINUSE' }))
    expect(openSockets()).toBe(before)
  })

  it.each(['', 'x'.repeat(108)])('refuses the name %j', (name) => {
    const before = openSockets()
    expect(() => open({ name })).toThrow(/name/)
    expect(openSockets()).toBe(before)
  })
})

async function endedProcess(): Promise<number> {
  const child = spawn('true')
  await once(child, 'exit')
  return child.pid!
}
