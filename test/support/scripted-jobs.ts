/**
 * Executions without a sandbox: the test decides what their jobs print and how they end. Restart
 * policy, events and streams are the real ones.
 * @module
 */
import { PassThrough } from 'node:stream'
import type { JobExit } from '../../runtime/src/execution/contract/exit.ts'
import type { Execute, ExecutionRequest } from '../../runtime/src/execution/contract/request.ts'
import { restartsAfter } from '../../runtime/src/execution/contract/restart-policy.ts'

/** One attempt of an execution. */
export interface ScriptedJob {
  request: ExecutionRequest
  attempt: number
  print(text: string): void
  end(exit: JobExit): void
  /** From now on the job ignores a stop. */
  resist(): void
}

export interface ScriptedJobs {
  execute: Execute
  /** Resolves with the next attempt that begins. */
  next(): Promise<ScriptedJob>
  /** How many attempts have begun. */
  readonly begun: number
  /** Makes the next tries of executions throw this error. */
  failNext(error: Error, times?: number): void
}

export const exited = (code: number): JobExit => ({ reason: 'exited', code })

export function scriptedJobs(): ScriptedJobs {
  const waiting: ScriptedJob[] = []
  const readers: ((job: ScriptedJob) => void)[] = []
  let begun = 0
  let failure: Error | undefined
  let failures = 0
  const offer = (job: ScriptedJob) => {
    begun++
    const reader = readers.shift()
    if (reader) reader(job)
    else waiting.push(job)
  }
  return {
    get begun() {
      return begun
    },
    failNext: (error, times = 1) => void ([failure, failures] = [error, times]),
    next() {
      const job = waiting.shift()
      return job ? Promise.resolve(job) : new Promise((resolve) => readers.push(resolve))
    },
    async execute(request) {
      if (failure && failures-- > 0) throw failure
      return { exit: await runAttempts(request, offer) }
    },
  }
}

async function runAttempts(
  request: ExecutionRequest,
  offer: (job: ScriptedJob) => void,
): Promise<JobExit> {
  const policy = request.loaded.manifest?.restartPolicy ?? 'no'
  for (let count = 0; ; count++) {
    request.signal.throwIfAborted()
    const attempt = request.firstAttempt + count
    const exit = await runAttempt(request, attempt, offer)
    request.onEvent({ type: 'attempt-ended', attempt, exit })
    const goesOn = restartsAfter(policy, exit, request.restarts + count)
    if (request.signal.aborted || !goesOn) return exit
    request.onEvent({ type: 'restarting', attempt: attempt + 1, delayMs: 0 })
  }
}

async function runAttempt(
  request: ExecutionRequest,
  attempt: number,
  offer: (job: ScriptedJob) => void,
): Promise<JobExit> {
  const [stdout, stderr] = [new PassThrough(), new PassThrough()]
  const output = request.onOutput({ stdout, stderr }, attempt)
  const facts = { uid: 7, sandbox: 'nothing', command: ['job'] }
  request.onEvent({ type: 'job-started', attempt, ...facts })
  const exit = await new Promise<JobExit>((resolve) => {
    const stop = () => resolve({ reason: 'killed', detail: 'stopped by the host' })
    request.signal.addEventListener('abort', stop)
    if (request.signal.aborted) stop()
    const print = (text: string) => void stdout.write(text)
    const resist = () => request.signal.removeEventListener('abort', stop)
    offer({ request, attempt, print, end: resolve, resist })
  })
  stdout.end()
  stderr.end()
  await output
  return exit
}
