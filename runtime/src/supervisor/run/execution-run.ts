/**
 * Runs one execution of a deployment from where its record is to its end; every event is recorded
 * before anybody can see it.
 * @module
 */
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { mayPass } from '../../errors/operator-cause.ts'
import { StartError } from '../../errors/start-error.ts'
import { discardExecution, recordEnd, dropExecutionFiles } from './finish-execution.ts'
import type { JobExit } from '../../execution/contract/exit.ts'
import type { ExecutionParts } from './execution-parts.ts'
import { createExecutionNews, isPassing, type ExecutionNews } from './execution-news.ts'
import { failureText } from './failure-text.ts'
import { createTries } from './patience.ts'
import { tellWaiting } from './tell-waiting.ts'
import type { ExecutionRecord } from '../record/record.ts'
import { beginAgain, beginAttempt, restartsBefore } from '../record/record-changes.ts'
import { finalExit } from '../record/recovery.ts'

/** Why an execution is ended before its time. */
export type EndCause =
  /** The operator ends the execution for good. */
  | { kind: 'stop'; detail: string; graceMs?: number }
  /** The daemon ends; the next daemon continues the execution. */
  | { kind: 'interrupt' }

export interface ExecutionRun {
  /** Resolves when nothing of the execution runs any more; its record may be older. */
  readonly over: Promise<void>
  /** Resolves when, in addition, the record says how the execution ended, or where to continue. */
  readonly finished: Promise<void>
  end(cause: EndCause): void
}

/** Attempt at which an execution starts or continues. */
export interface ExecutionStart {
  firstAttempt: number
  restarts: number
}

export function runExecution(
  current: ExecutionRecord,
  start: ExecutionStart,
  parts: ExecutionParts,
): ExecutionRun {
  const controller = new AbortController()
  let cause: EndCause | undefined
  const context: Context = {
    ...parts,
    current,
    start,
    signal: controller.signal,
    cause: () => cause,
  }
  const news = createExecutionNews({ ...context, isInterrupted: () => isInterrupted(context) })
  parts.live.begin()
  const exit = attend(context, news)
  return {
    over: exit.then(() => {}),
    finished: conclude(context, news, exit),
    end(newCause) {
      cause ??= newCause
      controller.abort(new Error('ended by the host'))
    },
  }
}

interface Context extends ExecutionParts {
  current: ExecutionRecord
  start: ExecutionStart
  signal: AbortSignal
  cause: () => EndCause | undefined
}

async function conclude(
  context: Context,
  news: ExecutionNews,
  exit: Promise<JobExit>,
): Promise<void> {
  const { live, keeper, current } = context
  try {
    const last = await exit
    // If the disk is full, this root may be why: offer to delete it before writing the record.
    if (!isInterrupted(context))
      keeper.offerSpace(() => dropExecutionFiles(context, current.number))
    await news.told()
    const end = isInterrupted(context) ? knownExit(context) : last
    if (end === undefined) return
    await recordEnd(context, current.number, end)
  } finally {
    live.end()
  }
  await discardExecution(context, current.number)
}

function isInterrupted({ cause }: Context): boolean {
  return cause()?.kind === 'interrupt'
}

/** The exit of a job that ended before the daemon; undefined when the execution is continued. */
function knownExit({ keeper, loaded }: Context): JobExit | undefined {
  const { current } = keeper.latest
  return current && finalExit(current, loaded.manifest?.restartPolicy ?? 'no')
}

/** Runs the job, again and again while something keeps it from starting that may pass. */
async function attend(context: Context, news: ExecutionNews): Promise<JobExit> {
  const { keeper, loaded, current, signal, patience } = context
  const { schedule } = loaded.deployment
  const tries = createTries({ schedule, due: hasRun(current) ? undefined : current.due, patience })
  for (;;) {
    const { exit, fault } = await runOnce(context, news)
    const delayMs = fault === undefined || signal.aborted ? undefined : tries.next(Date.now())
    if (fault === undefined || delayMs === undefined) return exit
    await news.told()
    await tellWaiting(context, { number: current.number, fault, delayMs })
    await pause(delayMs, undefined, { signal }).catch(() => {}) // aborted: the next try says so
    if (!signal.aborted && !hasRun(keeper.latest.current ?? current))
      await keeper.change(beginAgain(schedule, Date.now()))
  }
}

function hasRun({ attempts }: ExecutionRecord): boolean {
  return attempts.some(({ exit }) => exit?.reason !== 'start-failed')
}

/** How a try ended, with the fault of the host if one that may pass was the reason. */
interface Outcome {
  exit: JobExit
  fault?: string
}

/** An error becomes the exit. */
async function runOnce(context: Context, news: ExecutionNews): Promise<Outcome> {
  const { execute, executions, loaded, keeper, signal, noGrace, live } = context
  const current = keeper.latest.current ?? context.current
  const folder = join(executions, String(current.number))
  try {
    signal.throwIfAborted()
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const { exit } = await execute({
      loaded,
      folder,
      ...nextAttempt(context, current),
      allowLocalImages: keeper.latest.allowLocalImages,
      signal,
      noGrace,
      graceMs: () => graceOf(context.cause()),
      ...(current.deadline !== undefined && { deadline: current.deadline }),
      onEvent: (event) => news.take(event),
      onNetwork: (look) => live.takeNetwork(look),
      onOutput: (job, attempt) => capture(context, job, attempt),
    })
    return { exit, ...(isPassing(exit) && { fault: exit.detail }) }
  } catch (error) {
    const exit = exitOf(context, error)
    return { exit, ...(mayPass(error) && { fault: failureText(error) }) }
  }
}

/** The attempt after those that the record has; where it has none, the one that was asked for. */
function nextAttempt({ start }: Context, current: ExecutionRecord): ExecutionStart {
  const last = current.attempts.at(-1)
  if (last === undefined) return start
  return { firstAttempt: last.number + 1, restarts: restartsBefore(current) }
}

function graceOf(cause: EndCause | undefined): number | undefined {
  return cause?.kind === 'stop' ? cause.graceMs : undefined
}

/** Records an attempt before its output is read, so that its number is never used again. */
async function capture(
  { keeper, output, current }: Context,
  job: { stdout: Readable; stderr: Readable },
  attempt: number,
): Promise<void> {
  await keeper.change(beginAttempt(attempt, Date.now()))
  await output.capture(job, { execution: current.number, attempt })
}

function exitOf({ cause, log, keeper, current }: Context, error: unknown): JobExit {
  const end = cause()
  if (end)
    return { reason: 'killed', detail: end.kind === 'stop' ? end.detail : 'the daemon ended' }
  // Told with its next try.
  if (mayPass(error)) return { reason: 'start-failed', detail: failureText(error) }
  // Errors for people are complete in their text; for others a developer needs the stack.
  const what = error instanceof StartError ? { reason: failureText(error) } : { err: error }
  const { id: deployment } = keeper.latest
  log.warn({ deployment, execution: current.number, ...what }, 'execution not started')
  return { reason: 'start-failed', detail: failureText(error) }
}
