/**
 * What stands between the use of a key and its answer: the line about it is written first.
 * @module
 */
import { RpcError } from '../bridge/errors.ts'

/** Uses of keys on their way into the log. */
export interface KeyUses<Use> {
  /** @throws RpcError UNAVAILABLE while the log can't be written; no key must be used then */
  check(): void
  record(use: Use): void
  /** Writes what has been recorded since the last time. @throws Error when it can't */
  readonly commit: () => void
}

/** The part of an audit log that this needs. */
export interface UseLog<Use> {
  record(use: Use): void
  commit(): void
}

export function createKeyUses<Use>(log: UseLog<Use>): KeyUses<Use> {
  let hasPending = false
  let hasFailed = false
  const commit = () => {
    hasPending = false
    hasFailed = true
    log.commit()
    hasFailed = false
  }
  return {
    check() {
      if (!hasFailed) return
      try {
        // What could not be written then is still pending: perhaps there is room by now.
        commit()
      } catch (cause) {
        throw new RpcError('UNAVAILABLE', 'the host cannot write the audit log', { cause })
      }
    },
    record(use) {
      hasPending = true
      log.record(use)
    },
    commit() {
      if (hasPending) commit()
    },
  }
}

/** For measuring what the log costs. */
export const noKeyUses: KeyUses<unknown> = { check() {}, record() {}, commit() {} }
