/** The ways in which a job can end. @module */
import { constants } from 'node:os'

/** How the entrypoint ended, as wait(2) reports it. `signal`: its name, or `SIG` and the number. */
export type WaitStatus = { code: number } | { signal: string; number: number }

/** Why a job is over. */
export type JobExit =
  | { reason: 'exited'; code: number }
  | { reason: 'signaled'; signal: string; number: number }
  /** Ended by its memory limit, its time limit or the host; `status` if the entrypoint had one. */
  | { reason: 'oom' | 'timeout' | 'killed'; detail: string; status?: WaitStatus }
  | { reason: 'start-failed'; detail: string }

/** Decodes a raw status of wait(2). */
export function parseWaitStatus(status: number): WaitStatus {
  const signal = status & 0x7f
  if (signal === 0) return { code: (status >> 8) & 0xff }
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0]
  return { signal: name ?? `SIG${signal}`, number: signal }
}

/** The exit of a job that ended by itself. */
export function exitOf(status: WaitStatus): JobExit {
  return 'code' in status ? { reason: 'exited', ...status } : { reason: 'signaled', ...status }
}

/** How the entrypoint ended, where that is known. */
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
