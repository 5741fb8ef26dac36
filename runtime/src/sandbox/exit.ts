/**
 * How a job ended.
 * @module
 */
import { constants } from 'node:os'

/** The entrypoint's own end, as wait(2) tells it. `signal`: its name, or `SIG` and the number. */
export type WaitStatus = { code: number } | { signal: string; number: number }

/** Why a job is over. */
export type JobExit =
  | { reason: 'exited'; code: number }
  | { reason: 'signaled'; signal: string; number: number }
  /** Ended over its head: by its memory limit, its time, or by us; `status` if it still had one. */
  | { reason: 'oom' | 'timeout' | 'killed'; detail: string; status?: WaitStatus }
  | { reason: 'start-failed'; detail: string }

/** From a raw wait status. */
export function parseWaitStatus(status: number): WaitStatus {
  const signal = status & 0x7f
  if (signal === 0) return { code: (status >> 8) & 0xff }
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0]
  return { signal: name ?? `SIG${signal}`, number: signal }
}

/** The end of a job that nobody interfered with. */
export function exitOf(status: WaitStatus): JobExit {
  return 'code' in status ? { reason: 'exited', ...status } : { reason: 'signaled', ...status }
}

/** The entrypoint's own end, where it is known. */
export function statusOf(exit: JobExit): WaitStatus | undefined {
  switch (exit.reason) {
    case 'exited':
      return { code: exit.code }
    case 'signaled':
      return { signal: exit.signal, number: exit.number }
    case 'start-failed':
      return undefined
    case 'oom':
    case 'timeout':
    case 'killed':
      return exit.status
  }
}
