/**
 * Look-ups of one purpose: together they have a deadline and a number of queries.
 *
 * A client of our own rather than the C library's or c-ares: those take less care against forgers,
 * and do not tell how long a TXT record holds.
 * @module
 */
import { setMaxListeners } from 'node:events'
import { createAsk, type AskOptions } from './ask.ts'
import { GivenUp } from './exchange.ts'
import { createLookup, type Lookup } from './lookup.ts'

export interface DnsClientOptions extends AskOptions {
  /** For all look-ups of a purpose, ms. */
  deadlineMs: number
  /** Queries of a purpose, with those that are repeated. */
  maxQueries: number
}

export interface DnsClient {
  /**
   * What is not known at the deadline, or after too many queries, is `failed`.
   * @throws what `purpose` does, and the signal's reason
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
      try {
        return await purpose(createLookup(ask, { signal, count: createCount(maxQueries) }))
      } finally {
        end()
      }
    },
  }
}

const over = new GivenUp('over')

/** Node 20 keeps a signal of AbortSignal.any for ever, with all that listens to it. */
function startDeadline(deadlineMs: number, outer: AbortSignal | undefined) {
  const controller = new AbortController()
  setMaxListeners(0, controller.signal)
  const late = () => controller.abort(new GivenUp(`not known after ${deadlineMs} ms`))
  const timer = setTimeout(late, deadlineMs)
  const passOn = () => controller.abort(outer?.reason)
  outer?.addEventListener('abort', passOn)
  return {
    signal: controller.signal,
    /** What is still under way is of no use any more. */
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
