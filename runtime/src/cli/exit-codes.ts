/** Exit codes of the command. @module */
import { constants } from 'node:os'
import type { JobExit } from '../sandbox/exit.ts'

export const exitCodes = {
  /** Wrong arguments. */
  usage: 2,
  /** The file that was read is not right. */
  invalid: 1,
  /** The configuration file is not right; EX_CONFIG of sysexits(3). */
  config: 78,
  /** The job's time was over; timeout(1) uses the same code. */
  timeout: 124,
  /** Causeway itself failed to start or finish what it was asked for. */
  failed: 125,
} as const

// A shell reports a process that a signal ended with this plus the signal's number.
const signalBase = 128

/** Maps a job's end to an exit code: the job's own code if it has one. */
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
