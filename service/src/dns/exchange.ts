/** The contract for one query to one resolver, by UDP or TCP. @module */
import type { Query } from './message/query.ts'
import type { Resolver } from './resolver.ts'

export interface ExchangeOptions {
  timeoutMs: number
  /** Ends the exchange before the timeout. */
  signal: AbortSignal
}

/** @returns a packet that answers the query @throws NoReply, or the signal's reason */
export type Exchange = (
  query: Query,
  resolver: Resolver,
  options: ExchangeOptions,
) => Promise<Buffer>

/** No usable reply has come; the message says why in a few words. */
export class NoReply extends Error {
  override readonly name = 'NoReply'
}

/** The resolver answered that it cannot answer: to ask it again is useless. */
export class Declined extends NoReply {}

/** By UDP the resolver changes the question's letter case, so its answers look like forged ones. */
export class LettersLost extends NoReply {}

/** All look-ups of a purpose are over; the message says why. */
export class GivenUp extends Error {
  override readonly name = 'GivenUp'
}

/** Ends an exchange at its timeout or by its signal, whichever comes first. */
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

/** Describes a failure of the network in a few words. */
export function noReply(error: NodeJS.ErrnoException): NoReply {
  const reason = error.code === 'ECONNREFUSED' ? 'nobody listens there' : error.code
  return new NoReply(reason ?? error.message, { cause: error })
}
