/** Decides whether a job is restarted within its execution. @module */
import type { Manifest } from '@causeway/manifest'
import type { JobExit } from './exit.ts'

/** Most restarts within one execution; a job that fails more often will not recover. */
export const maxRestarts = 3

/** @param restarts restarts so far */
export function restartsAfter(
  policy: Manifest['restartPolicy'],
  exit: JobExit,
  restarts: number,
): boolean {
  if (policy === 'no' || restarts >= maxRestarts) return false
  if (isFinal[exit.reason]) return false
  return policy === 'always' || exit.reason !== 'exited' || exit.code !== 0
}

// True: another attempt would fail the same way. The caller never restarts a stopped job.
const isFinal: Record<JobExit['reason'], boolean> = {
  exited: false,
  signaled: false,
  oom: false,
  // Also the exit of a job that destroyed its own sandbox.
  killed: false,
  timeout: true,
  'start-failed': true,
}
