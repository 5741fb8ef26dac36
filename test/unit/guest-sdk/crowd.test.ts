/** Many calls of one client: it waits for turns, and comes back when the host says. */
import { connect } from '@causeway/guest-sdk'
import { describe, expect } from 'vitest'
import { test as withBridge } from '../../support/bridge-fixture.ts'
import { replyWith, test, type Behave } from '../../support/recording-bridge.ts'
import { thrownBy } from '../../support/thrown.ts'

const version = { result: { version: '1.27.0' } }
const answer = replyWith(version)
const inFlight = 64

const refusal = (data: object, code = -32005) =>
  replyWith({ error: { code, message: 'too many', data: { retryable: true, ...data } } })
const limit = (retryAfterMs: number) => refusal({ kind: 'LIMIT_EXCEEDED', retryAfterMs })

/** Behaves in turn as given, and at last always as the last. */
function inOrder(...behaviours: Behave[]): Behave {
  return (socket, request) =>
    (behaviours.length > 1 ? behaviours.shift()! : behaviours[0]!)(socket, request)
}

describe('calls at once', () => {
  test('are at most 64; the others come in their order', async ({ host }) => {
    const count = 150
    const batches: number[][] = []
    const held: [id: string, go: () => void][] = []
    const release = () => {
      batches.push(held.map(([id]) => Number(id)).toSorted((a, b) => a - b))
      held.splice(0).forEach(([, go]) => go())
    }
    const { name } = await host((socket, request) => {
      held.push([request.id, () => answer(socket, request)])
      const left = count - batches.flat().length
      // A moment later, so that those that may not come could be seen.
      if (held.length === Math.min(inFlight, left)) setTimeout(release, 10)
    })
    const { processor } = connect({ socket: name })
    await Promise.all(Array.from({ length: count }, () => processor.version()))
    const numbers = Array.from({ length: count }, (_, at) => at + 1)
    expect(batches).toEqual([numbers.slice(0, 64), numbers.slice(64, 128), numbers.slice(128)])
  })

  test('that get no turn in time say so, and are not sent', async ({ host }) => {
    const { name, connections } = await host(() => {})
    const { processor } = connect({ socket: name, timeoutMs: 60_000 })
    const stop = new AbortController()
    const { signal } = stop
    const first = Array.from({ length: inFlight }, () =>
      thrownBy(() => processor.version({ signal })),
    )
    const late = await thrownBy(() => processor.version({ timeoutMs: 40 }))
    expect(late).toMatchObject({
      name: 'BridgeUnavailableError',
      message:
        'processor_version: not sent within 40 ms, because 64 calls before it had no answer yet (raise timeoutMs or make fewer calls at once)',
    })
    stop.abort()
    await Promise.all(first)
    expect(connections()).toBeLessThanOrEqual(inFlight)
  })

  test('leave the line when they are aborted, and hold up none behind them', async ({ host }) => {
    const waiting: (() => void)[] = []
    const { name, requests } = await host((socket, request) => {
      if (requests.length > inFlight) return answer(socket, request)
      waiting.push(() => answer(socket, request))
      if (waiting.length === inFlight) stop.abort()
    })
    const stop = new AbortController()
    const { processor } = connect({ socket: name })
    const first = Array.from({ length: inFlight }, () => processor.version())
    const aborted = Array.from({ length: 10 }, () =>
      thrownBy(() => processor.version({ signal: stop.signal })),
    )
    const last = processor.version()
    for (const error of await Promise.all(aborted)) expect(error).toBe(stop.signal.reason)
    waiting.forEach((go) => go())
    await Promise.all([...first, last])
    expect(requests.length).toBe(inFlight + 1)
  })
})

describe('a call refused for a limit', () => {
  test('is sent again until the host takes it', async ({ host }) => {
    const { name, requests } = await host(inOrder(limit(1), limit(0), limit(3), answer))
    expect(await connect({ socket: name }).processor.version()).toBe('1.27.0')
    expect(requests.length).toBe(4)
  })

  test('fails at once when the host wants it to come after its deadline', async ({ host }) => {
    const { name, connections } = await host(limit(60_000))
    await expect(connect({ socket: name }).processor.version()).rejects.toMatchObject({
      kind: 'LIMIT_EXCEEDED',
      retryAfterMs: 60_000,
    })
    expect(connections()).toBe(1)
  })

  test('can be aborted while it waits', async ({ host }) => {
    const stop = new AbortController()
    const { name } = await host((socket, request) => {
      limit(1_000)(socket, request)
      setTimeout(() => stop.abort(), 20)
    })
    const { processor } = connect({ socket: name })
    const error = await thrownBy(() => processor.version({ signal: stop.signal }))
    expect(error).toBe(stop.signal.reason)
  })

  test.for([
    { name: 'a limit that no time lifts', behave: refusal({ kind: 'LIMIT_EXCEEDED' }) },
    { name: 'a failed resolver', behave: refusal({ kind: 'RESOLVER_FAILED' }, -32603) },
    {
      name: 'what may have been carried out',
      behave: refusal({ kind: 'DEADLINE_EXCEEDED', retryAfterMs: 1 }, -32603),
    },
  ])('is not sent again for $name', async ({ behave }, { host }) => {
    const { name, connections } = await host(behave)
    await expect(connect({ socket: name }).processor.version()).rejects.toMatchObject({
      name: 'BridgeError',
    })
    expect(connections()).toBe(1)
  })
})

describe('500 parallel loops of 20 calls', () => {
  // Fewer than the client has in flight, and a rate that it exceeds: both refuse many calls.
  const limits = {
    maxConnections: 32,
    read: { perSecond: 5_000, burst: 500, deadlineMs: 5_000 },
  }
  withBridge('get 10,000 answers', { timeout: 60_000 }, async ({ open }) => {
    const { processor } = connect({ socket: open({ limits }).name, timeoutMs: 60_000 })
    const loop = async () => {
      for (let call = 0; call < 20; call++) expect(await processor.version()).toBe('1.27.0')
    }
    const loops = await Promise.allSettled(Array.from({ length: 500 }, loop))
    const failed = loops.filter(({ status }) => status === 'rejected')
    expect(failed).toEqual([])
  })
})
