/** Verifies whitelisted hosts again, shortly before their DNS records expire. @module */
import type { Logger } from '@causeway/service/log'
import { RpcError } from '../bridge/errors.ts'
import { Refusal } from './refusal.ts'
import type { Verification } from './verify/verification.ts'

export interface RenewalsOptions {
  /** Verifies a host and admits it; calls `keep` when the host has passed. @throws RpcError */
  again: (host: string) => Promise<void>
  /** Revokes what is admitted for a host. */
  drop: (host: string) => Promise<void>
  log: Logger
}

export interface Renewals {
  /**
   * Renews a host that passed, before its records expire.
   * @param asked the host as the job wrote it, because its record may contain that spelling
   */
  keep(asked: string, verification: Verification): void
  close(): void
}

// Time for a slow verification, and for a second one.
const aheadMs = 15_000
const retryMs = 5_000

interface Kept {
  asked: string
  host: string
  /** When the records expire, ms of `performance.now()`. */
  until: number
  timer?: NodeJS.Timeout
}

export function createRenewals({ again, drop, log }: RenewalsOptions): Renewals {
  const hosts = new Map<string, Kept>()
  let isClosed = false

  function schedule(kept: Kept, delayMs: number): void {
    kept.timer = setTimeout(() => void renew(kept), delayMs).unref()
  }

  async function renew(kept: Kept): Promise<void> {
    try {
      await again(kept.asked)
    } catch (error) {
      // Else the job has asked again meanwhile, or has ended.
      if (!isClosed && hosts.get(kept.host) === kept) await fail(kept, error)
    }
  }

  async function fail(kept: Kept, error: unknown): Promise<void> {
    const { host } = kept
    if (!(error instanceof RpcError)) log.error({ err: error, host }, 'host not verified again')
    const leftMs = kept.until - performance.now()
    // Without a refusal, the addresses stay admitted until their records expire.
    if (leftMs > 0 && !(error instanceof Refusal)) return schedule(kept, Math.min(retryMs, leftMs))
    hosts.delete(host)
    const { kind, message } = error as Partial<RpcError>
    log.info({ host, kind, reason: message }, 'host no longer whitelisted')
    await drop(host).catch((failure: unknown) => {
      if (!isClosed) log.error({ err: failure, host }, 'addresses of a host could not be revoked')
    })
  }

  return {
    keep(asked, { host, passed }) {
      if (isClosed) return
      clearTimeout(hosts.get(host)?.timer)
      const leftMs = Math.min(...passed.map(({ seconds }) => seconds)) * 1000
      const kept = { asked, host, until: performance.now() + leftMs }
      hosts.set(host, kept)
      schedule(kept, leftMs - aheadMs)
    },
    close() {
      isClosed = true
      for (const { timer } of hosts.values()) clearTimeout(timer)
    },
  }
}
