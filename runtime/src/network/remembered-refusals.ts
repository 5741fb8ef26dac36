/**
 * Remembers refusals for a few seconds, so that a job that asks again and again does not keep the
 * host's resolvers, and other people's servers, busy.
 * @module
 */
import type { RpcError } from '../bridge/errors.ts'
import { Refusal } from './refusal.ts'

// An owner who publishes a record and tries again must not wait long.
const keptMs = 5_000

/** A host in a call. */
export interface AskedHost {
  /** The host as the caller wrote it. */
  text: string
  /** The name that is looked up. */
  name: string
}

export interface Refusals {
  /** @throws RpcError the refusal that is still remembered for this host */
  check(host: AskedHost): void
  /** Remembers a refusal. @returns the error, for the caller to throw */
  note(host: AskedHost, error: RpcError): RpcError
}

export function createRefusals(): Refusals {
  // Oldest first.
  const kept = new Map<string, { error: Refusal; until: number }>()
  const forgetOld = () => {
    for (const [key, { until }] of kept) {
      if (until > performance.now()) return
      kept.delete(key)
    }
  }
  return {
    check(host) {
      forgetOld()
      const found = keysOf(host).map((key) => kept.get(key))
      for (const one of found) if (one) throw one.error
    },
    note(host, error) {
      const [any, own] = keysOf(host)
      kept.delete(any)
      kept.delete(own)
      if (!(error instanceof Refusal)) return error
      kept.set(error.isOfSpelling ? own : any, { error, until: performance.now() + keptMs })
      return error
    },
  }
}

/** For refusals of any spelling, and of this one. Quotes keep them apart: no host name has one. */
function keysOf({ text, name }: AskedHost): [any: string, own: string] {
  return [name, JSON.stringify(text)]
}
