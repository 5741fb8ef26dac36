/**
 * Whether a job is started again within its execution.
 * @module
 */
import type { Manifest } from '@causeway/manifest'
import type { JobExit } from './exit.ts'

/** Restarts within one execution; what fails more often will not come right. */
export const maxRestarts = 3

/** @param restarts how often it was started again before */
export function restartsAfter(
  policy: Manifest['restartPolicy'],
  exit: JobExit,
  restarts: number,
): boolean {
  if (policy === 'no' || restarts >= maxRestarts) return false
  if (isFinal[exit.reason]) return false
  return policy === 'always' || exit.reason !== 'exited' || exit.code !== 0
}

// Another attempt would meet the same. One that was told to end is not asked.
const isFinal: Record<JobExit['reason'], boolean> = {
  exited: false,
  signaled: false,
  oom: false,
  // Also by a job that destroyed its own sandbox.
  killed: false,
  timeout: true,
  'start-failed': true,
}
