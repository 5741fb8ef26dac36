/**
 * What decides over a job from outside while it runs: that it is to end, and what becomes of its
 * output.
 * @module
 */
import { once } from 'node:events'
import { setTimeout as pause } from 'node:timers/promises'
import type { ExecutionEvent, ExecutionRequest } from './contract/request.ts'
import { isLate } from './contract/deadline.ts'
import { statusOf, type JobExit } from '../sandbox/exit.ts'
import type { Job } from '../sandbox/job.ts'

export interface AttendOptions {
  request: ExecutionRequest
  /** Told when the job's program runs. */
  started: Extract<ExecutionEvent, { type: 'job-started' }>
  /** Between SIGTERM and SIGKILL, where the request says nothing else. */
  graceMs: number
}

/** Waits for the end of a job and of its output. */
export async function attendJob(job: Job, options: AttendOptions): Promise<JobExit> {
  const { request, started } = options
  const { signal, onEvent, onOutput } = request
  const stopListening = endWhenTold(job, options)
  const done = new AbortController()
  const announce = async () => {
    if (await job.started) onEvent(started)
  }
  try {
    // From its end on nothing is decided over it, however long its output is still read.
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

/** @returns what ends this */
function endWhenTold(job: Job, { request, graceMs }: AttendOptions): () => void {
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
  return { reason: 'timeout', detail: 'its time was over', ...(status && { status }) }
}

// After the end of a job that was told to end, for what is still in its pipes.
const outputGraceMs = 1_000

/**
 * A reader that takes nothing must not keep an ended run from ending.
 * @param done nobody waits for this any more
 */
async function outputAbandoned(job: Job, signal: AbortSignal, done: AbortSignal): Promise<void> {
  await job.exited
  if (!signal.aborted) await once(signal, 'abort', { signal: done }).catch(() => {}) // done
  if (done.aborted) return
  await pause(outputGraceMs, undefined, { ref: false })
  job.stdout.destroy()
  job.stderr.destroy()
}
