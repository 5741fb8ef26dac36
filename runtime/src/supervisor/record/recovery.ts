/** Decides what happens to an execution that was running when the daemon ended. @module */
import type { Manifest } from '@causeway/manifest'
import type { JobExit } from '../../execution/contract/exit.ts'
import type { AttemptRecord, DeploymentRecord, ExecutionRecord } from './record.ts'
import { restartsBefore } from './record-changes.ts'
import { restartsAfter } from '../../execution/contract/restart-policy.ts'

/** Exit of a job that ended with the daemon. */
export const endedWithDaemon: JobExit = { reason: 'killed', detail: 'the daemon ended' }

/** `end`: the execution is over, with this exit; `resume`: its next attempt uses the same root. */
export type Recovery =
  { kind: 'end'; exit: JobExit } | { kind: 'resume'; firstAttempt: number; restarts: number }

/** A known exit is final; otherwise the execution resumes unless it is late or was stopped. */
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

/** The exit that ends the execution; undefined when another attempt follows. */
export function finalExit(
  current: ExecutionRecord,
  policy: Manifest['restartPolicy'],
): JobExit | undefined {
  const last = current.attempts.at(-1)
  if (!last?.exit || last.interrupted) return undefined
  return restartsAfter(policy, last.exit, current.restarts) ? undefined : last.exit
}

/** The attempt that was running when the daemon ended, if any. */
export function unfinishedAttempt({ attempts }: ExecutionRecord): AttemptRecord | undefined {
  const last = attempts.at(-1)
  return last?.exit ? undefined : last
}
