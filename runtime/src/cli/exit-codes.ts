/**
 * Exit codes of the command.
 * @module
 */
import { constants } from 'node:os'
import type { JobExit } from '../sandbox/exit.ts'

export const exitCodes = {
  /** Wrong arguments. */
  usage: 2,
  /** A file was read and is not right. */
  invalid: 1,
  /** The job's time was over, as timeout(1) tells it. */
  timeout: 124,
  /** Causeway could not start or finish what it was asked for; the job did not decide this. */
  failed: 125,
} as const

// As a shell reports a process that a signal ended.
const signalBase = 128

/** The code for a job's end: its own where it has one. */
export function exitCodeOf(exit: JobExit): number {
  switch (exit.reason) {
    case 'exited':
      return exit.code
    case 'signaled':
      return signalBase + exit.number
    case 'killed':
    case 'oom':
      return signalBase + constants.signals.SIGKILL
    case 'timeout':
      return exitCodes.timeout
    case 'start-failed':
      return exitCodes.failed
  }
}
