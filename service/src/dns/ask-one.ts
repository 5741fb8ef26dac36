/** Asks one resolver one question. @module */
import { Declined, NoReply, type Exchange } from './exchange.ts'
import { createExchangeAnyway } from './letters-lost.ts'
import { createQuery, type RecordType } from './message/query.ts'
import { createRandomBytes } from './message/random-bytes.ts'
import { BrokenReply } from './message/reply-guard.ts'
import { isTruncated, readReply, type Reply } from './message/reply.ts'
import type { Resolver } from './resolver.ts'
import { createSocketLimit } from './socket-limit.ts'
import { exchangeByTcp } from './tcp-exchange.ts'

export interface AskOneOptions {
  /** How long one resolver may take, ms. */
  tryMs: number
  /** Most queries at once; others wait. */
  maxSockets: number
}

export interface Question {
  /** Has passed `isDomainName`. */
  name: string
  type: RecordType
}

/** Limits that all questions of a purpose share. */
export interface AskLimits {
  signal: AbortSignal
  /** Counts a query. @throws GivenUp when there were too many */
  count: () => void
}

/** @returns a reply with NOERROR or NXDOMAIN @throws NoReply, GivenUp, or the signal's reason */
export type AskOne = (
  question: Question,
  resolver: Resolver,
  way: Exchange,
  limits: AskLimits,
) => Promise<Reply>

export function createAskOne({ tryMs, maxSockets }: AskOneOptions): AskOne {
  const randomBytes = createRandomBytes()
  const limited = createSocketLimit(maxSockets)
  const exchangeAnyway = createExchangeAnyway()
  return async ({ name, type }, resolver, firstWay, { signal, count }) => {
    // Each query has a new id, port and letter case.
    const exchange = (way: Exchange) =>
      limited(signal, () => {
        count()
        const query = createQuery(name, type, randomBytes)
        return way(query, resolver, { timeoutMs: tryMs, signal })
      })
    const packet = await exchangeAnyway(resolver, firstWay, exchange)
    return read(isTruncated(packet) ? await exchange(exchangeByTcp) : packet)
  }
}

const noError = 0
export const noSuchName = 3
const codeNames = new Map([
  [1, 'FORMERR'],
  [2, 'SERVFAIL'],
  [4, 'NOTIMP'],
  [5, 'REFUSED'],
])

function read(packet: Buffer): Reply {
  const reply = decoded(packet)
  if (reply.code === noError || reply.code === noSuchName) return reply
  throw new Declined(codeNames.get(reply.code) ?? `code ${reply.code}`)
}

function decoded(packet: Buffer): Reply {
  try {
    return readReply(packet)
  } catch (cause) {
    if (!(cause instanceof BrokenReply)) throw cause
    throw new NoReply(`its answer is broken: ${cause.message}`, { cause })
  }
}
