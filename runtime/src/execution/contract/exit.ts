/** Schema and text of a job's exit. @module */
import type { JobExit } from '../../sandbox/exit.ts'

export { jobExitSchema, type JobExit } from '../../sandbox/exit.ts'

/** Text for people. */
export function describeExit(exit: JobExit): string {
  switch (exit.reason) {
    case 'exited':
      return `exit code ${exit.code}`
    case 'signaled':
      return `ended by signal ${exit.signal}`
    case 'oom':
    case 'timeout':
    case 'killed':
    case 'start-failed':
      return `${exit.reason}: ${exit.detail}`
  }
}
