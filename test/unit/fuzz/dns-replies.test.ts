import { encode, type Answer } from 'dns-packet'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { createQuery } from '../../../service/src/dns/message/query.ts'
import { BrokenReply } from '../../../service/src/dns/message/reply-guard.ts'
import { readReply, type Reply } from '../../../service/src/dns/message/reply.ts'
import { checkLines } from './settings.ts'

const timeoutMs = 300_000
const name = 'www.example.test'
const answers: Answer[] = [
  { type: 'CNAME', name, ttl: 60, data: 'a.example.test' },
  { type: 'A', name, ttl: 60, data: '192.0.2.1' },
  { type: 'AAAA', name, ttl: 60, data: '2001:db8::1' },
  { type: 'PTR', name, ttl: 60, data: name },
  { type: 'TXT', name, ttl: 60, data: ['v=abc', 'def'] },
  { type: 'MX', name, ttl: 60, data: { preference: 1, exchange: name } },
  { type: 'NSEC', name, ttl: 60, data: { nextDomain: name, rrtypes: ['A', 'TXT'] } },
  { type: 'SRV', name, ttl: 60, data: { port: 1, target: name } },
]
const soa = { mname: name, rname: name, serial: 1 }
const authorities: Answer[] = [{ type: 'SOA', name, ttl: 60, data: soa }]

const long = encode({
  type: 'response',
  id: 1,
  questions: [{ type: 'TXT', name }],
  answers,
  authorities,
})
const query = createQuery(name, 'TXT', (count) => Buffer.alloc(count))
const good = [long, compressed(long)]

/** Names after the first one as pointers to it, as servers write them. */
function compressed(packet: Buffer): Buffer {
  const owner = packet.toString('latin1', 12, 12 + name.length + 2)
  const records = packet.toString('latin1', 12 + owner.length)
  const head = packet.toString('latin1', 0, 12 + owner.length)
  // Owners only, which a type and a class follow: of data the length would change, too.
  const short = records.replaceAll(new RegExp(`${owner}(?=\\0[^]\\0\x01)`, 'g'), '\xc0\x0c')
  return Buffer.from(head + short, 'latin1')
}

it('replies as they are can be read, or these tests see refusals alone', () => {
  expect(readReply(Buffer.from(long)).records).toHaveLength(5)
  expect(readReply(Buffer.from(good[1]!)).records).toHaveLength(5)
  expect(good[1]!.length).toBeLessThan(long.length - 60)
})

/** Only ever a reply or a BrokenReply, and names that say what they are. */
async function check(packet: Buffer): Promise<void> {
  query.isAnsweredBy(packet)
  if (packet.length < 12) return
  const reply = read(Buffer.from(packet))
  for (const { name: owner, ttl, data } of reply?.records ?? []) {
    if (owner.length > 300 || ttl < 0 || ttl >= 2 ** 31 || typeof data !== 'string')
      throw new Error(`found ${JSON.stringify({ owner, ttl, data })}`)
  }
}

const seen = { whole: 0, broken: 0 }

function read(packet: Buffer): Reply | undefined {
  try {
    const reply = readReply(packet)
    seen.whole++
    return reply
  } catch (error) {
    if (!(error instanceof BrokenReply)) throw error
    seen.broken++
    return undefined
  }
}

/** One change of a packet: cut out some bytes and put others there. */
const change = fc.record({
  at: fc.nat(long.length),
  cut: fc.nat(3),
  put: fc.oneof(
    fc.uint8Array({ maxLength: 3 }).map((data) => Buffer.from(data)),
    fc.nat(0x3fff).map((to) => Buffer.from([0xc0 | (to >> 8), to & 0xff])),
    fc.constantFrom(
      '\0',
      '\xff\xff',
      '\xc0\x0c',
      '\x3f',
      '\x40',
      '.',
      '\0\x10',
      '\0\x05',
      '\x7f\xff',
    ),
  ),
})

const mutated = fc
  .tuple(fc.constantFrom(...good), fc.array(change, { minLength: 1, maxLength: 4 }))
  .map(([packet, changes]) =>
    changes.reduce((bytes, { at, cut, put }) => {
      const start = at % (bytes.length + 1)
      const middle = typeof put === 'string' ? Buffer.from(put, 'latin1') : put
      return Buffer.concat([bytes.subarray(0, start), middle, bytes.subarray(start + cut)])
    }, packet),
  )

it(
  'replies with a few bytes changed',
  async () => {
    const { whole, broken } = await counted(() => checkLines(mutated, 0.65, check))
    expect(whole).toBeGreaterThan(0)
    expect(broken).toBeGreaterThan(0)
  },
  timeoutMs,
)

const noise = fc
  .uint8Array({ maxLength: 300 })
  .map((data) => Buffer.concat([long.subarray(0, 34), Buffer.from(data)]))

it(
  'noise after the question',
  async () => {
    const { broken } = await counted(() => checkLines(noise, 0.1, check))
    expect(broken).toBeGreaterThan(0)
  },
  timeoutMs,
)

/** How many replies could be read meanwhile, and how many not. */
async function counted(run: () => Promise<void>): Promise<typeof seen> {
  Object.assign(seen, { whole: 0, broken: 0 })
  await run()
  return { ...seen }
}
