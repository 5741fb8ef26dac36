/** Watches a running job: stops it on request, and captures its output. @module */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionEvent, ExecutionRequest } from './contract/request.ts'
import { isLate } from './contract/deadline.ts'
import { statusOf, type JobExit } from '../sandbox/exit.ts'
import type { Job } from '../sandbox/job.ts'

export interface AttendOptions {
  request: ExecutionRequest
  /** The event for the start of the job's program. */
  started: Extract<ExecutionEvent, { type: 'job-started' }>
  /** Time between SIGTERM and SIGKILL, unless the request says otherwise. */
  graceMs: number
}

/** Waits until a job and its output have ended. */
export async function attendJob(job: Job, options: AttendOptions): Promise<JobExit> {
  const { request, started } = options
  const { signal, onEvent, onOutput } = request
  const stopListening = endOnSignals(job, options)
  const done = new AbortController()
  const announce = async () => {
    if (await job.started) onEvent(started)
  }
  try {
    // Once the job has exited, signals no longer matter, even while its output is still being read.
    const ended = job.exited
      .then((exit) => (isLate(signal) ? outOfTime(exit) : exit))
      .finally(stopListening)
    const abandoned = outputAbandoned(job, signal, done.signal)
    const output = Promise.race([onOutput(job, started.attempt), abandoned])
    const [exit] = await Promise.all([ended, output, announce()])
    return exit
  } finally {
    stopListening()
    done.abort()
  }
}

/** Stops or kills the job on the request's signals. @returns how to stop listening */
function endOnSignals(job: Job, { request, graceMs }: AttendOptions): () => void {
  const { signal, noGrace } = request
  const over = new AbortController()
  const look = () => {
    if (!signal.aborted) return
    if (noGrace?.aborted) job.kill()
    else job.stop(request.graceMs() ?? graceMs)
  }
  for (const one of [signal, noGrace]) one?.addEventListener('abort', look, { signal: over.signal })
  look()
  return () => over.abort()
}

function outOfTime(exit: JobExit): JobExit {
  const status = statusOf(exit)
  return { reason: 'timeout', detail: 'the deadline has passed', ...(status && { status }) }
}

// Time to read the rest of the output after a stopped job has exited.
const outputGraceMs = 1_000

/**
 * Destroys the output of an ended job after a while: a stalled reader must not block the end.
 * @param done aborted when nobody waits for the output any more
 */
async function outputAbandoned(job: Job, signal: AbortSignal, done: AbortSignal): Promise<void> {
  await job.exited
  if (!signal.aborted) await once(signal, 'abort', { signal: done }).catch(() => {}) // done
  if (done.aborted) return
  await pause(outputGraceMs, undefined, { ref: false })
  job.stdout.destroy()
  job.stderr.destroy()
}
