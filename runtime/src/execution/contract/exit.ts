/** Schema and text of a job's exit. @module */
import * as v from 'valibot'
import type { JobExit } from '../../sandbox/exit.ts'

export type { JobExit } from '../../sandbox/exit.ts'

const code = v.pipe(v.number(), v.integer())
const waitStatus = v.union([
  v.strictObject({ code }),
  v.strictObject({ signal: v.string(), number: code }),
])

/** Schema of {@link JobExit}; a difference between the two does not compile. */
export const jobExitSchema: v.GenericSchema<JobExit> = v.variant('reason', [
  v.strictObject({ reason: v.literal('exited'), code }),
  v.strictObject({ reason: v.literal('signaled'), signal: v.string(), number: code }),
  v.strictObject({
    reason: v.picklist(['oom', 'timeout', 'killed']),
    detail: v.string(),
    status: v.exactOptional(waitStatus),
  }),
  v.strictObject({ reason: v.literal('start-failed'), detail: v.string() }),
])

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
