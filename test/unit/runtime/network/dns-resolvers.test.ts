import type { Answer } from 'dns-packet'
import { createSocket } from 'node:dgram'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import {
  hostResolvers,
  parseResolver,
  type Resolver,
} from '../../../../service/src/dns/resolver.ts'
import { createVerifier } from '../../../../runtime/src/network/verify/verify-host.ts'
import {
  questionOf,
  replyTo,
  startForgingServer,
  type ForgingServer,
} from '../../../support/forging-server.ts'
import { startNameServer, type NameServer } from '../../../support/name-server.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'
import { thrownBy } from '../../../support/thrown.ts'
import { digest, named, source, zones } from './verify-zones.ts'

describe('a resolver is written', () => {
  it.each([
    ['192.0.2.1', { address: '192.0.2.1', port: 53 }],
    ['192.0.2.1:5353', { address: '192.0.2.1', port: 5353 }],
    ['2001:db8::1', { address: '2001:db8::1', port: 53 }],
    ['[2001:db8::1]', { address: '2001:db8::1', port: 53 }],
    ['[2001:db8::1]:5353', { address: '2001:db8::1', port: 5353 }],
    ['fe80::1%eth0', { address: 'fe80::1%eth0', port: 53 }],
    ['[fe80::1%eth0]:53', { address: 'fe80::1%eth0', port: 53 }],
  ])('%s', (text, resolver) => {
    expect(parseResolver(text)).toEqual(resolver)
  })
  it.each([
    '',
    'dns.example',
    '192.0.2',
    '192.0.2.1:',
    '192.0.2.1:0',
    '192.0.2.1:65536',
    '[192.0.2.1]:53',
    '[]',
    '::1:53x',
    ' 192.0.2.1',
    '192.0.2.1:1e3',
    '[::1]53',
  ])('not %j', (text) => {
    const expected = `expected IP, IP:PORT or [IPv6]:PORT, found ${JSON.stringify(text)}`
    expect(() => parseResolver(text)).toThrow(expected)
  })
})

describe("the host's resolvers", () => {
  const read = async (text: string) => {
    await using folder = await temporaryFolder()
    const file = join(folder.path, 'resolv.conf')
    await writeFile(file, text)
    return hostResolvers(file).map(({ address, port }) => `${address} ${port}`)
  }
  it('are the first three', async () => {
    const text = `# nameserver 192.0.2.9\nsearch example\nnameserver\t192.0.2.1\nnameserver fe80::1%lo # x\n;\nnameserver name\nnameserver 2001:db8::1\nnameserver 192.0.2.4\n`
    expect(await read(text)).toEqual(['192.0.2.1 53', 'fe80::1%lo 53', '2001:db8::1 53'])
  })
  it('are not the unspecified address', async () => {
    const text = 'nameserver 0.0.0.0\nnameserver ::\nnameserver 192.0.2.1\n'
    expect(await read(text)).toEqual(['192.0.2.1 53'])
    expect(await read('nameserver 0.0.0.0\n')).toEqual(['127.0.0.1 53'])
  })
  it('are the host itself where it names none', async () => {
    expect(await read('search example\n')).toEqual(['127.0.0.1 53'])
    expect(hostResolvers('/does/not/exist')).toEqual([{ address: '127.0.0.1', port: 53 }])
  })
})

describe('when a resolver fails', () => {
  let [good, strange, mute]: [NameServer, NameServer, ForgingServer] = [] as never
  beforeAll(async () => {
    good = await startNameServer(zones)
    strange = await startNameServer({})
    mute = await startForgingServer({})
  })
  afterAll(async () => {
    await good[Symbol.asyncDispose]()
    await strange[Symbol.asyncDispose]()
    await mute[Symbol.asyncDispose]()
  })
  const verifier = (resolvers: readonly Resolver[], options = {}) =>
    createVerifier({ resolvers, tryMs: 150, ...options })
  const passes = { passed: [{ address: '93.184.1.1' }] }

  it('REFUSED: the next one is asked', async () => {
    expect(await verifier([strange, good])(named('plain'), source)).toMatchObject(passes)
  })

  it('nobody listens: the next one is asked', async () => {
    const nobody = await closedPort()
    expect(await verifier([nobody, good])(named('plain'), source)).toMatchObject(passes)
    const { failure } = await verifier([nobody])(named('plain'), source)
    expect(failure?.message).toContain('resolver 1: nobody listens there')
  })

  it('silent by UDP and not listening by TCP: the message names both, in this order', async () => {
    const socket = createSocket('udp4')
    await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve))
    const { port } = socket.address()
    const { failure } = await verifier([{ address: '127.0.0.1', port }])(named('plain'), source)
    socket.close()
    expect(failure?.message).toContain(
      'resolver 1: no answer within 150 ms, by TCP: nobody listens there',
    )
  })

  it('silent: the next one is asked, and from then on it is asked first', async () => {
    const verify = verifier([mute, good])
    expect(await verify(named('plain'), source)).toMatchObject(passes)
    const before = mute.asked.length
    expect(await verify(named('plain'), source)).toMatchObject(passes)
    expect(mute.asked.length).toBe(before)
  })

  it('all fail: the call may be repeated, and the message hides their addresses', async () => {
    const { passed, failure } = await verifier([mute, strange])(named('plain'), source)
    expect(passed).toEqual([])
    expect(failure).toMatchObject({ kind: 'RESOLVER_FAILED', step: 'claim' })
    expect(failure?.message).toContain('resolver 1: no answer within 150 ms; resolver 2: REFUSED')
    expect(JSON.stringify(failure)).not.toContain('127.0.0.1')
    expect(failure?.expected).toBeUndefined()
  })

  it('the deadline ends the verification', async () => {
    const verify = verifier([mute], { tryMs: 60_000, deadlineMs: 200 })
    const { failure } = await verify(named('plain'), source)
    expect(failure?.message).toContain('could not be looked up: not known after 200 ms')
  })

  it('the number of queries ends the verification', async () => {
    const { failure } = await verifier([good], { maxQueries: 3 })(named('plain'), source)
    expect(failure).toMatchObject({ kind: 'RESOLVER_FAILED', step: 'pointer' })
    expect(failure?.message).toContain('given up after 3 queries')
  })

  it('a signal ends the verification, and no timer or socket stays', async () => {
    const before = process.getActiveResourcesInfo()
    const controller = new AbortController()
    const asked = once(mute)
    const running = verifier([mute], { tryMs: 60_000, deadlineMs: 60_000 })(
      named('plain'),
      source,
      controller.signal,
    )
    await asked
    controller.abort(new Error('no longer wanted'))
    expect(await thrownBy(() => running)).toEqual(new Error('no longer wanted'))
    // Sockets close one tick later.
    await new Promise((resolve) => setImmediate(resolve))
    const [after, own] = [process.getActiveResourcesInfo(), 2]
    expect(countOf('UDPWrap', after)).toBe(own)
    expect(countOf('Timeout', after)).toBe(countOf('Timeout', before))
  })

  it('with a signal that was aborted before, no resolver is asked', async () => {
    const before = mute.asked.length
    const signal = AbortSignal.abort(new Error('too late'))
    const error = await thrownBy(() => verifier([mute])(named('plain'), source, signal))
    expect(error).toEqual(new Error('too late'))
    expect(mute.asked.length).toBe(before)
  })

  it('few sockets at once are enough for many verifications', async () => {
    const verify = verifier([good], { maxSockets: 2, tryMs: 5000 })
    const all = await Promise.all(Array.from({ length: 20 }, () => verify(named('plain'), source)))
    expect(all.filter(({ failure }) => failure)).toEqual([])
  })

  it('for one address family: addresses of the other are enough', async () => {
    const host = named('plain')
    const answers: Record<number, Answer> = {
      1: { type: 'A', name: host, ttl: 300, data: '93.184.1.1' },
      12: { type: 'PTR', name: '1.1.184.93.in-addr.arpa', ttl: 300, data: host },
      16: { type: 'TXT', name: `_acu.${host}`, ttl: 300, data: digest(host) },
    }
    const serverFailure = 2
    await using server = await startForgingServer({
      udp(query) {
        const answer = answers[questionOf(query).at(-3)!]
        return [replyTo(query, answer ? [answer] : [], answer ? {} : { flags: serverFailure })]
      },
    })
    const { passed, steps } = await verifier([server])(host, source)
    expect(passed).toMatchObject([{ address: '93.184.1.1' }])
    expect(steps[2]).toMatchObject({ type: 'AAAA', failure: { kind: 'RESOLVER_FAILED' } })
  })
})

async function closedPort(): Promise<Resolver> {
  const socket = createSocket('udp4')
  await new Promise<void>((resolve) => void socket.bind(0, '127.0.0.1', resolve))
  const { port } = socket.address()
  socket.close()
  return { address: '127.0.0.1', port }
}

function countOf(kind: string, resources: readonly string[]): number {
  return resources.filter((one) => one === kind).length
}

/** Resolves when the server gets a query. */
async function once(server: ForgingServer): Promise<void> {
  const before = server.asked.length
  while (server.asked.length === before) await new Promise((resolve) => setImmediate(resolve))
}
