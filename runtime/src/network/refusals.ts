/**
 * Refusals of the last moments, so that a job that asks again and again does not keep the host's
 * resolvers, and those of others, busy.
 * @module
 */
import type { RpcError } from '../bridge/errors.ts'
import { Refusal } from './refusal.ts'

// Whoever publishes a record and tries again must not wait long.
const keptMs = 5_000

/** A host as it is asked for. */
export interface AskedHost {
  /** As the caller wrote it. */
  text: string
  /** As it is looked up. */
  name: string
}

export interface Refusals {
  /** @throws RpcError as a moment ago */
  check(host: AskedHost): void
  /** @returns the error, to be thrown */
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

/** Of refusals however it is written, and as it is written here; no name has quotes. */
function keysOf({ text, name }: AskedHost): [any: string, own: string] {
  return [name, JSON.stringify(text)]
}
