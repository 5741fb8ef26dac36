/**
 * The DNS client: all look-ups of one purpose share a deadline and a number of queries.
 *
 * It replaces the clients of the C library and of c-ares, which take less care against forged
 * replies, and do not report the TTL of a TXT record.
 * @module
 */
import { setMaxListeners } from 'node:events'
import { createAsk, type AskOptions } from './ask.ts'
import { GivenUp } from './exchange.ts'
import { createLookup, type Lookup } from './lookup.ts'

export interface DnsClientOptions extends AskOptions {
  /** Time for all look-ups of a purpose, ms. */
  deadlineMs: number
  /** Most queries of a purpose, repeated ones included. */
  maxQueries: number
}

export interface DnsClient {
  /**
   * A look-up without a reply at the deadline, or after too many queries, is `failed`.
   * @throws what `purpose` throws, and the signal's reason
   */
  lookUp<T>(signal: AbortSignal | undefined, purpose: (lookup: Lookup) => Promise<T>): Promise<T>
}

export function createDnsClient(options: DnsClientOptions): DnsClient {
  const { deadlineMs, maxQueries } = options
  const ask = createAsk(options)
  return {
    async lookUp(outer, purpose) {
      outer?.throwIfAborted()
      const { signal, end } = startDeadline(deadlineMs, outer)
      const lookup = createLookup(ask, { signal, count: createCount(maxQueries) })
      return purpose(lookup).finally(end)
    },
  }
}

const over = new GivenUp('over')

/** Replaces AbortSignal.any: Node 20 keeps its signals for ever, with all their listeners. */
function startDeadline(deadlineMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const late = () => controller.abort(new GivenUp(`not known after ${deadlineMs} ms`))
  const timer = setTimeout(late, deadlineMs)
  const passOn = () => controller.abort(outer?.reason)
  outer?.addEventListener('abort', passOn)
  return {
    signal: controller.signal,
    /** Aborts what is still under way: nobody needs it any more. */
    end: () => {
      clearTimeout(timer)
      outer?.removeEventListener('abort', passOn)
      controller.abort(over)
    },
  }
}

function createCount(most: number): () => void {
  let queries = 0
  return () => {
    if (++queries > most) throw new GivenUp(`given up after ${most} queries`)
  }
}
