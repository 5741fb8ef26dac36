/**
 * Many clients, idle clients, clients that leave, lines that do not end.
 * @module
 */
import type { Bridge, Check } from '../check.ts'
import type { Connection } from '../connection.ts'
import type { Received } from '../input.ts'
import { CheckFailed, CheckSkipped, expectThat, shown } from '../outcome.ts'
import { requestText, versionRequest } from '../request.ts'
import { codes, errorOf, resultOf, responseOf, retryAfterMs } from '../response.ts'
import { sections } from '../sections.ts'
import { expectAlive, expectAnswered } from './version-answer.ts'

const section = sections.line
const lineLimit = 1 << 20
const floodChunk = Buffer.alloc(1 << 16, 'x')
const floodBytes = 64 << 20
/** This process, not the bridge, has no descriptor for another socket. */
const ownLimits: readonly unknown[] = ['EMFILE', 'ENFILE']

/** One client of many: it gets its own answer, or an error with the time for a retry. */
async function askInCrowd(connection: Connection, id: string): Promise<void> {
  await connection.send(`${requestText('processor_version', '[]', JSON.stringify(id))}\n`)
  const received = await connection.line()
  if (retryAfterMs(received) !== undefined) return
  resultOf(received)
  const found = responseOf(received).id
  expectThat(found === id, `id ${shown(id)}`, found)
}

/** All clients connect before the first one asks. */
async function crowd(bridge: Bridge, size: number): Promise<void> {
  const connected = await settle(Array.from({ length: size }, () => bridge.open()))
  await settle(connected.map((connection, index) => askInCrowd(connection, `crowd ${index}`)))
  connected.forEach((connection) => connection.destroy())
  await expectAlive(bridge)
}

/** Waits for all, and counts the failures that equal the first one. */
async function settle<T>(clients: readonly Promise<T>[]): Promise<T[]> {
  const outcomes = await Promise.allSettled(clients)
  const failed = outcomes.filter((outcome) => outcome.status === 'rejected')
  const [first] = failed.map(({ reason }) => reason as Error)
  if (first) throw crowdFailure(first, failed.length, clients.length)
  return outcomes.filter((outcome) => outcome.status === 'fulfilled').map(({ value }) => value)
}

function crowdFailure(first: Error, count: number, size: number): Error {
  const { code } = (first.cause ?? {}) as NodeJS.ErrnoException
  if (ownLimits.includes(code))
    return new CheckSkipped(`${size} sockets are too many here: ${code}`)
  if (!(first instanceof CheckFailed)) return first
  return new CheckFailed(first.expected, `${first.found} (${count} of ${size} clients)`)
}

async function hangUp(bridge: Bridge, rounds: number, bytes: string): Promise<void> {
  for (let round = 0; round < rounds; round++) {
    const connection = await bridge.open()
    if (bytes !== '') await connection.send(bytes)
    connection.destroy()
  }
  await expectAlive(bridge)
}

async function besideSilent(bridge: Bridge): Promise<void> {
  for (let count = 0; count < 20; count++) {
    const connection = await bridge.open()
    if (count % 2 === 1) await connection.send('{')
  }
  await expectAlive(bridge)
}

/** Sends until the bridge answers or closes. */
async function flood(bridge: Bridge): Promise<void> {
  const connection = await bridge.open()
  const isOver = ({ bytes, end }: Received) => bytes.length > 0 || end !== undefined
  for (let sent = 0; !isOver(connection.received()); sent += floodChunk.length) {
    if (sent > floodBytes) throw new CheckFailed('an error or a close', `${sent} bytes taken`)
    await connection.send(floodChunk)
  }
  const received = await connection.line()
  // A close during a send can lose the reply.
  if (received.bytes.length > 0) expectLimit(errorOf(received).code)
}

function expectLimit(code: number): void {
  expectThat(code === codes.limitExceeded, `error code ${codes.limitExceeded}`, code)
}

/** Checks with hostile or many clients. */
export const crowdChecks: readonly Check[] = [
  {
    id: 'crowd.silent',
    section,
    title: 'connections that send nothing or half a line delay nobody',
    run: besideSilent,
  },
  {
    id: 'crowd.hang-up',
    section,
    title: 'clients that hang up before the answer do no harm',
    run: (bridge) => hangUp(bridge, 50, `${versionRequest}\n`),
  },
  {
    id: 'crowd.hang-up-half',
    section,
    title: 'clients that hang up in the middle of the line do no harm',
    run: (bridge) => hangUp(bridge, 50, versionRequest.slice(0, 20)),
  },
  {
    id: 'crowd.connect-close',
    section,
    title: '200 clients that connect and close do no harm',
    run: (bridge) => hangUp(bridge, 200, ''),
  },
  {
    id: 'crowd.sixteen',
    section,
    title: '16 clients at once each get their own reply',
    run: (bridge) => crowd(bridge, 16),
  },
  {
    id: 'crowd.thousand',
    section,
    title: '1,000 clients at once each get their own reply or -32005 with retryAfterMs',
    profile: 'causeway',
    run: (bridge) => crowd(bridge, 1000),
  },
  {
    id: 'limit.line',
    section: sections.limits,
    title: 'a line of 1 MiB is accepted',
    profile: 'causeway',
    run: async (bridge) =>
      void (await expectAnswered(bridge, [`${versionRequest.padEnd(lineLimit)}\n`])),
  },
  {
    id: 'limit.line-over',
    section: sections.limits,
    title: 'a line of one byte more: -32005',
    profile: 'causeway',
    async run(bridge) {
      const received = await bridge.exchange([`${versionRequest.padEnd(lineLimit + 1)}\n`])
      expectLimit(errorOf(received).code)
    },
  },
  {
    id: 'limit.endless-line',
    section: sections.limits,
    title: 'an endless line is answered -32005 or closed, while others are served',
    profile: 'causeway',
    async run(bridge) {
      await Promise.all([flood(bridge), expectAlive(bridge)])
      await expectAlive(bridge)
    },
  },
]
