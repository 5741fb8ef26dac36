/**
 * One query to one resolver, by whatever way.
 * @module
 */
import type { Query } from './message/query.ts'
import type { Resolver } from './resolver.ts'

export interface ExchangeOptions {
  timeoutMs: number
  /** Ends it before. */
  signal: AbortSignal
}

/** @returns a packet that answers the query @throws NoReply, or the signal's reason */
export type Exchange = (
  query: Query,
  resolver: Resolver,
  options: ExchangeOptions,
) => Promise<Buffer>

/** There is no reply that can be used; the message says in a few words why. */
export class NoReply extends Error {
  override readonly name = 'NoReply'
}

/** The resolver answered that it cannot answer: asking it again gains nothing. */
export class Declined extends NoReply {}

/** By UDP it writes the question in other letters, so nothing tells its answers from forged ones. */
export class LettersLost extends NoReply {}

/** All look-ups of a purpose are over; the message says why. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp'
}

/** What ends an exchange, whichever comes first: time, or its signal. */
export function startClock(
  { timeoutMs, signal }: ExchangeOptions,
  end: (reason: Error) => void,
): { stop(): void } {
  const abort = () => end(signal.reason as Error)
  const late = () => end(new NoReply(`no answer within ${timeoutMs} ms`))
  const timer = setTimeout(late, timeoutMs)
  signal.addEventListener('abort', abort)
  return {
    stop() {
      clearTimeout(timer)
      signal.removeEventListener('abort', abort)
    },
  }
}

/** A failure of the network, in a few words. */
export function noReply(error: NodeJS.ErrnoException): NoReply {
  const reason = error.code === 'ECONNREFUSED' ? 'nobody listens there' : error.code
  return new NoReply(reason ?? error.message, { cause: error })
}
