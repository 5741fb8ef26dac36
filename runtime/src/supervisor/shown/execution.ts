/** Executions of a deployment, and how a job ends, as they are shown. @module */
import * as v from 'valibot'
import { described, list, time, whole } from './fields.ts'

const detail = described(v.string(), 'The reason, for a person.')
const signal = {
  signal: described(v.string(), 'Name of the signal, such as `SIGTERM`.'),
  number: whole,
}
const waitStatus = v.union([v.object({ code: whole }), v.object(signal)])

/** Why a job is over. */
export const jobExit = v.variant('reason', [
  v.object({ reason: v.literal('exited'), code: described(whole, 'Exit code of the job.') }),
  v.object({ reason: v.literal('signaled'), ...signal }),
  v.object({
    reason: described(
      v.picklist(['oom', 'timeout', 'killed']),
      'The host ended the job: by its memory limit, at its deadline, or for another reason.',
    ),
    detail,
    status: v.exactOptional(described(waitStatus, 'How the entrypoint itself ended, if known.')),
  }),
  v.object({ reason: v.literal('start-failed'), detail }),
])

/** One run of the job within an execution. */
export const shownAttempt = v.object({
  number: whole,
  startedAt: time,
  endedAt: v.exactOptional(time),
  exit: v.exactOptional(jobExit),
  interrupted: v.exactOptional(
    described(
      v.boolean(),
      'The daemon or a fault of the host ended the attempt; the next one continues it.',
    ),
  ),
})

/** What all executions have that began. */
export const shownExecution = {
  number: described(whole, 'Counts from 1 in each deployment.'),
  due: described(whole, 'When the execution was to begin, Unix ms.'),
  startedAt: time,
  deadline: v.exactOptional(time),
  stopping: v.exactOptional(described(v.boolean(), 'The execution is being stopped.')),
  restarts: described(whole, 'How often the restart policy has started the job again.'),
  attempts: described(list(shownAttempt), 'The last attempts; the oldest are dropped.'),
}

/** The execution that runs. */
export const runningExecution = v.object({
  ...shownExecution,
  socket: v.exactOptional(described(v.string(), 'Name of the bridge’s abstract socket.')),
  uid: v.exactOptional(described(whole, 'User id of the job on the host.')),
  sandbox: v.exactOptional(described(v.string(), 'Layers of the sandbox, for a person.')),
  progress: v.exactOptional(described(v.string(), 'What is being done with the image.')),
})

export const shownMissed = v.object({
  kind: v.literal('missed'),
  count: whole,
  firstDue: time,
  lastDue: time,
})

/** An execution that ended, or executions in a row that could not begin in time. */
export const pastExecution = v.variant('kind', [
  v.object({ kind: v.literal('ended'), ...shownExecution, endedAt: time, exit: jobExit }),
  shownMissed,
])

export type RunningExecution = v.InferOutput<typeof runningExecution>
export type PastExecution = v.InferOutput<typeof pastExecution>
