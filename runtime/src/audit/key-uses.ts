/** Ensures that the line about a key's use is written before the reply leaves. @module */
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { RpcError } from '../bridge/errors.ts'

/** A use by the host itself, or several for the same purpose. */
export interface HostUse {
  purpose: string
  curve: SigningCurve
  count: number
}

/** The part of an audit log that is used here. */
export interface UseLog<Use> {
  record(use: Use): void
  recordHost(use: HostUse): void
  /** Writes the uses recorded since the last commit. @throws Error when it cannot */
  readonly commit: () => void
}

/** Passes uses of keys to the log. */
export interface KeyUses<Use> extends UseLog<Use> {
  /** @throws RpcError UNAVAILABLE while the log cannot be written; then no key may be used */
  check(): void
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
        // Lines of the failed commit are still pending, and the disk may have space again.
        commit()
      } catch (cause) {
        throw new RpcError('UNAVAILABLE', 'the host cannot write the audit log', { cause })
      }
    },
    record(use) {
      hasPending = true
      log.record(use)
    },
    recordHost(use) {
      hasPending = true
      log.recordHost(use)
    },
    commit() {
      if (hasPending) commit()
    },
  }
}

/** For measurements without an audit log. */
export const noKeyUses: KeyUses<unknown> = {
  check() {},
  record() {},
  recordHost() {},
  commit() {},
}
