import { networkInterfaces } from 'node:os'
import type { Answer } from 'dns-packet'
import { describe, expect, it } from 'vitest'
import { createDnsClient } from '../../../../service/src/dns/client.ts'
import type { Answer as Found } from '../../../../service/src/dns/lookup.ts'
import type { RecordType } from '../../../../service/src/dns/message/query.ts'
import type { Resolver } from '../../../../service/src/dns/resolver.ts'
import {
  questionOf,
  replyTo,
  startForgingServer,
  withLength,
  type Forger,
} from '../../../support/forging-server.ts'

const name = 'www.example.test'
const limits = { tryMs: 10_000, deadlineMs: 10_000, maxQueries: 96, maxSockets: 8 }
const txt = (data: string, of = name): Answer => ({ type: 'TXT', name: of, ttl: 300, data })
const honest = (query: Buffer) => replyTo(query, [txt('right')])
const right: Found = { state: 'found', data: ['right'], seconds: 300 }

interface Options extends Partial<typeof limits> {
  type?: RecordType
}

function lookUpAt(resolvers: readonly Resolver[], { type = 'TXT', ...options }: Options = {}) {
  const client = createDnsClient({ ...limits, resolvers, ...options })
  return client.lookUp(undefined, (lookup) => lookup(name, type))
}

async function lookUp(forger: Forger, options?: Options) {
  await using server = await startForgingServer(forger)
  return { found: await lookUpAt([server], options), asked: server.asked }
}

function changed(packet: Buffer, change: (bytes: Buffer) => void): Buffer {
  const bytes = Buffer.from(packet)
  change(bytes)
  return bytes
}

const lie = (query: Buffer) => replyTo(query, [txt('forged')])
const otherCase = (bytes: Buffer) => {
  // The first letter of the question.
  bytes[13]! ^= 0x20
}

describe('a forged reply is ignored, and the right one accepted', () => {
  it.each<{ what: string; forge: (query: Buffer) => Buffer }>([
    {
      what: 'wrong id',
      forge: (query) => changed(lie(query), (bytes) => void (bytes[1]! ^= 1)),
    },
    { what: 'wrong case', forge: (query) => changed(lie(query), otherCase) },
    {
      what: 'wrong name',
      forge: (query) =>
        changed(lie(query), (bytes) => void (bytes[12 + questionOf(query).length - 6]! ^= 1)),
    },
    {
      what: 'wrong type',
      forge: (query) =>
        changed(lie(query), (bytes) => void (bytes[12 + questionOf(query).length - 3] = 1)),
    },
    {
      what: 'wrong class',
      forge: (query) =>
        changed(lie(query), (bytes) => void (bytes[12 + questionOf(query).length - 1] = 3)),
    },
    {
      what: 'two questions',
      forge: (query) => {
        const [head, rest] = [lie(query).subarray(0, 12), lie(query).subarray(12)]
        head[5] = 2
        return Buffer.concat([head, questionOf(query), rest])
      },
    },
    { what: 'no question', forge: (query) => changed(lie(query), (bytes) => void (bytes[5] = 0)) },
    { what: 'not a reply', forge: (query) => changed(lie(query), (bytes) => void (bytes[2] = 0)) },
    {
      what: 'another operation',
      forge: (query) => changed(lie(query), (bytes) => void (bytes[2] = 0xa8)),
    },
    { what: 'nothing', forge: () => Buffer.alloc(0) },
    { what: 'half a header', forge: (query) => lie(query).subarray(0, 7) },
    { what: 'half a question', forge: (query) => lie(query).subarray(0, 20) },
    { what: 'the query itself', forge: (query) => query },
    { what: 'noise', forge: () => Buffer.alloc(200, 0xc0) },
    {
      what: 'more than 1,232 bytes',
      forge: (query) => Buffer.concat([lie(query), Buffer.alloc(1232)]),
    },
  ])('$what', async ({ forge }) => {
    const forged = (query: Buffer) => [forge(query), forge(query), honest(query)]
    const { found, asked } = await lookUp({ udp: forged })
    expect(found).toEqual(right)
    expect(asked).toEqual(['udp'])
  })

  it('wrong port', async () => {
    const { found } = await lookUp({
      udpFromElsewhere: (query) => [lie(query)],
      udp: (query) => [honest(query)],
    })
    expect(found).toEqual(right)
  })

  it('a thousand guesses of the id', async () => {
    const guess = (query: Buffer, at: number) =>
      changed(lie(query), (bytes) => bytes.writeUInt16BE((query.readUInt16BE() + 1 + at) % 65536))
    const { found } = await lookUp({
      udp: (query) => [...Array.from({ length: 100 }, (_, at) => guess(query, at)), honest(query)],
    })
    expect(found).toEqual(right)
  })
})

describe('each query', () => {
  it('has its own id, letter case and port', async () => {
    const [ids, cases] = [new Set<number>(), new Set<string>()]
    const remember = (query: Buffer) => {
      ids.add(query.readUInt16BE())
      cases.add(questionOf(query).toString('latin1'))
      return [honest(query)]
    }
    await using server = await startForgingServer({ udp: remember })
    const rounds = 64
    for (let round = 0; round < rounds; round++) expect(await lookUpAt([server])).toEqual(right)
    // Two of 64 ids are equal once in 32 runs; three pairs are once in 100,000.
    expect(ids.size).toBeGreaterThan(rounds - 3)
    // The name has 14 letters.
    expect(cases.size).toBeGreaterThan(rounds - 6)
  })
})

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === '::1'),
)

it.runIf(hasIpv6)('a resolver may have an IPv6 address', async () => {
  const truncated = (query: Buffer) => changed(honest(query), (bytes) => void (bytes[2]! |= 2))
  const forger: Forger = {
    udp: (query) => [truncated(query)],
    tcp: (query) => [withLength(honest(query))],
  }
  await using server = await startForgingServer(forger, '::1')
  expect(await lookUpAt([server])).toEqual(right)
  expect(server.asked).toEqual(['udp', 'tcp'])
})

describe('by TCP a resolver', () => {
  it('is asked when a datagram is marked as truncated, whatever it contains', async () => {
    const { found, asked } = await lookUp({
      udp: (query) => [changed(lie(query), (bytes) => void (bytes[2]! |= 2))],
      tcp: (query) => [withLength(honest(query))],
    })
    expect(found).toEqual(right)
    expect(asked).toEqual(['udp', 'tcp'])
  })

  const lower = (query: Buffer) => {
    const [head, rest] = [honest(query).subarray(0, 12), honest(query).subarray(12)]
    return Buffer.concat([head, Buffer.from(rest.toString('latin1').toLowerCase(), 'latin1')])
  }

  it('is asked when no datagram keeps the letter case of the question', async () => {
    const { found, asked } = await lookUp(
      { udp: (query) => [lower(query)], tcp: (query) => [withLength(honest(query))] },
      { tryMs: 200 },
    )
    expect(found).toEqual(right)
    expect(asked).toEqual(['udp', 'tcp'])
  })

  it('is asked at once from then on, for every purpose', async () => {
    const forger: Forger = {
      udp: (query) => [lower(query)],
      tcp: (query) => [withLength(honest(query))],
    }
    await using server = await startForgingServer(forger)
    const client = createDnsClient({ ...limits, resolvers: [server], tryMs: 200 })
    const ask = () => client.lookUp(undefined, (lookup) => lookup(name, 'TXT'))
    for (let turn = 0; turn < 3; turn++) expect(await ask()).toEqual(right)
    expect(server.asked).toEqual(['udp', 'tcp', 'tcp', 'tcp'])
  })

  it('is asked before the next resolver is asked at all', async () => {
    const forger: Forger = {
      udp: (query) => [lower(query)],
      tcp: (query) => [withLength(honest(query))],
    }
    await using first = await startForgingServer(forger)
    await using second = await startForgingServer(forger)
    expect(await lookUpAt([first, second], { tryMs: 200 })).toEqual(right)
    expect(second.asked).toEqual([])
  })

  it('is not asked at once when only a datagram was lost', async () => {
    const lost = new Set(['udp'])
    await using server = await startForgingServer({
      udp: (query) => (lost.delete('udp') ? [] : [honest(query)]),
      tcp: (query) => [withLength(honest(query))],
    })
    const client = createDnsClient({ ...limits, resolvers: [server], tryMs: 200 })
    const ask = () => client.lookUp(undefined, (lookup) => lookup(name, 'TXT'))
    for (let turn = 0; turn < 2; turn++) expect(await ask()).toEqual(right)
    expect(server.asked).toEqual(['udp', 'tcp', 'udp'])
  })

  it('is not asked at once where TCP does not work', async () => {
    await using server = await startForgingServer({
      udp: (query) => [lower(query)],
      tcp: () => [withLength(Buffer.alloc(0))],
    })
    const client = createDnsClient({ ...limits, resolvers: [server], tryMs: 200 })
    const ask = () => client.lookUp(undefined, (lookup) => lookup(name, 'TXT'))
    const letters = 'its answers by UDP change the letter case of the question'
    const reason = `resolver 1: ${letters}, by TCP: it answered something else`
    expect(await ask()).toEqual({ state: 'failed', reason })
    expect(await ask()).toEqual({ state: 'failed', reason })
    expect(server.asked.filter((way) => way === 'udp')).toHaveLength(2)
  })

  const truncated = (query: Buffer) => [changed(honest(query), (bytes) => void (bytes[2]! |= 2))]
  it.each<{ what: string; tcp: (query: Buffer) => Buffer; reason: string }>([
    {
      what: 'too long',
      tcp: (query) => withLength(honest(query), 8193),
      reason: 'its answer has 8193 bytes, over 8192',
    },
    {
      what: 'of another question',
      tcp: (query) => withLength(changed(lie(query), otherCase)),
      reason: 'it answered something else',
    },
    {
      what: 'empty',
      tcp: () => withLength(Buffer.alloc(0)),
      reason: 'it answered something else',
    },
    {
      what: 'cut off',
      tcp: (query) => withLength(honest(query).subarray(0, -3)),
      reason: 'its answer is broken: record data is cut off',
    },
  ])('fails with an answer that is $what', async ({ tcp, reason }) => {
    const { found } = await lookUp({ udp: truncated, tcp: (query) => [tcp(query)] })
    expect(found).toEqual({ state: 'failed', reason: `resolver 1: ${reason}` })
  })

  it('may send its answer in pieces', async () => {
    const bytes = (query: Buffer) =>
      [...withLength(honest(query))].map((byte) => Buffer.from([byte]))
    const { found } = await lookUp({ udp: truncated, tcp: bytes })
    expect(found).toEqual(right)
  })
})

describe('records that count', () => {
  const found = async (answers: Answer[], type?: RecordType) =>
    (await lookUp({ udp: (query) => [replyTo(query, answers)] }, type ? { type } : {})).found
  const nothing = { state: 'missing', reason: 'the name has no TXT record' }
  const cname = (from: string, to: string, ttl = 300): Answer => ({
    type: 'CNAME',
    name: from,
    ttl,
    data: to,
  })

  it('are not those of another name', async () => {
    expect(await found([txt('forged', 'other.example.test')])).toEqual(nothing)
    expect(await found([txt('forged', 'other.example.test'), txt('right')])).toEqual(right)
  })
  it('are not those of an alias of another name', async () => {
    const forged = [cname('other.test', name), txt('forged', 'other.test')]
    expect(await found(forged)).toEqual(nothing)
  })
  it('are not those of another class, nor with the bit of multicast DNS', async () => {
    expect(await found([{ ...txt('forged'), class: 'CH' } as Answer])).toEqual(nothing)
    expect(await found([{ ...txt('forged'), flush: true } as Answer])).toEqual(nothing)
  })
  it('are not those of other types', async () => {
    expect(await found([{ type: 'A', name, ttl: 300, data: '192.0.2.1' }])).toEqual(nothing)
    const missing = { state: 'missing', reason: 'the name has no A record' }
    expect(await found([txt('forged')], 'A')).toEqual(missing)
  })
  it('are not in the authority or additional section', async () => {
    const { found: answer } = await lookUp({
      udp: (query) => [
        replyTo(query, [], { authorities: [txt('forged')], additionals: [txt('forged')] }),
      ],
    })
    expect(answer).toEqual(nothing)
  })
  it('are those at the end of its aliases, in any order and letter case', async () => {
    const answers = [txt('right', 'B.test'), cname('A.test', 'b.TEST', 70), cname(name, 'a.test')]
    expect(await found(answers)).toEqual({ ...right, seconds: 70 })
  })
  it('are not those of an alias that is not a host name', async () => {
    const reason = 'its CNAME record leads to "a b.test"'
    const answers = [cname(name, 'a b.test'), txt('forged', 'a b.test')]
    expect(await found(answers)).toEqual({ state: 'missing', reason })
  })
  it('have no time to live when its highest bit is set', async () => {
    expect(await found([{ ...txt('right'), ttl: 2 ** 31 } as Answer])).toEqual({
      ...right,
      seconds: 0,
    })
  })
  it('are not address records of a wrong length', async () => {
    const forge = (query: Buffer) => {
      const a = replyTo(query, [{ type: 'A', name, ttl: 300, data: '192.0.2.1' }])
      a.writeUInt16BE(2, a.length - 6)
      return [a.subarray(0, -2)]
    }
    const { found: answer } = await lookUp({ udp: forge }, { type: 'A' })
    expect(answer).toEqual({ state: 'missing', reason: 'the name has no A record' })
  })
})

describe('a loop of aliases', () => {
  it('over several replies is detected', async () => {
    // Each reply gives only the next alias, back and forth.
    const steps = new Map([
      ['www.example.test', 'a.test'],
      ['a.test', 'b.test'],
      ['b.test', 'a.test'],
    ])
    const { found } = await lookUp({
      udp: (query) => {
        const asked = textOf(questionOf(query))
        return [replyTo(query, [{ type: 'CNAME', name: asked, ttl: 9, data: steps.get(asked)! }])]
      },
    })
    const reason = 'its CNAME records form a loop through a.test'
    expect(found).toEqual({ state: 'missing', reason })
  })
})

function textOf(question: Buffer): string {
  const labels: string[] = []
  for (let at = 0; question[at] !== 0; at += 1 + question[at]!) {
    labels.push(question.toString('latin1', at + 1, at + 1 + question[at]!).toLowerCase())
  }
  return labels.join('.')
}
