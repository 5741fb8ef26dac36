/**
 * What becomes of an execution that ran when the daemon ended.
 * @module
 */
import type { Manifest } from '@causeway/manifest'
import type { JobExit } from '../../execution/contract/exit.ts'
import type { AttemptRecord, DeploymentRecord, ExecutionRecord } from './record.ts'
import { restartsBefore } from './record-changes.ts'
import { restartsAfter } from '../../execution/contract/restart-policy.ts'

/** Exit of what ended with the daemon. */
export const endedWithDaemon: JobExit = { reason: 'killed', detail: 'the daemon ended' }

/** `end`: it is over, with this exit; `resume`: its next attempt goes on in its root. */
export type Recovery =
  { kind: 'end'; exit: JobExit } | { kind: 'resume'; firstAttempt: number; restarts: number }

/** An exit that is known counts; otherwise it goes on, unless its time is over or it was stopped. */
export function recover(
  { wanted, current }: Pick<DeploymentRecord, 'wanted'> & { current: ExecutionRecord },
  policy: Manifest['restartPolicy'],
  now: number,
): Recovery {
  const exit = finalExit(current, policy)
  if (exit) return { kind: 'end', exit }
  const isLate = current.deadline !== undefined && current.deadline <= now
  if (isLate || current.stopping || wanted !== 'running')
    return { kind: 'end', exit: endedWithDaemon }
  const firstAttempt = (current.attempts.at(-1)?.number ?? 0) + 1
  return { kind: 'resume', firstAttempt, restarts: restartsBefore(current) }
}

/** The exit after which no other attempt follows; undefined when the execution is not over. */
export function finalExit(
  current: ExecutionRecord,
  policy: Manifest['restartPolicy'],
): JobExit | undefined {
  const last = current.attempts.at(-1)
  if (!last?.exit || last.interrupted) return undefined
  return restartsAfter(policy, last.exit, current.restarts) ? undefined : last.exit
}

/** The attempt that ran when the daemon ended, if one did. */
export function unfinishedAttempt({ attempts }: ExecutionRecord): AttemptRecord | undefined {
  const last = attempts.at(-1)
  return last?.exit ? undefined : last
}
