/**
 * The life of one deployment in the daemon: follows its schedule and the operator's wishes.
 * @module
 */
import { discardExecution, recordEnd } from './run/finish-execution.ts'
import type { JobExit } from '../execution/contract/exit.ts'
import {
  runExecution,
  type EndCause,
  type ExecutionRun,
  type ExecutionStart,
} from './run/execution-run.ts'
import type { ExecutionParts } from './run/execution-parts.ts'
import type { ExecutionRecord } from './record/record.ts'
import { noteMissed } from './note-missed.ts'
import { beginExecution, endAttempt } from './record/record-changes.ts'
import { endedWithDaemon, recover, unfinishedAttempt } from './record/recovery.ts'
import { nextStep, nextWhileRunning, type ScheduleState } from './schedule/schedule.ts'
import { createWaker } from './schedule/waker.ts'

export interface DeploymentLife {
  /** Lets a stopped deployment run again. */
  resume(): void
  /** Ends the running execution; resolves when nothing of it is left. */
  end(cause: EndCause): Promise<void>
  /** Resolves when nothing of the execution runs any more; its record may be older. */
  over(): Promise<void>
  /** Ends the deployment for good, or until the next start of the daemon. */
  close(cause: EndCause): Promise<void>
}

// Clocks jump, and a Node timer takes at most 2^31 ms, so the time is checked again.
const maxSleepMs = 60_000

/** Starts at the state that the record has. */
export function liveDeployment(parts: ExecutionParts): DeploymentLife {
  const life = createLife(parts)
  const over = live(life).catch((error: unknown) => {
    parts.log.error({ err: error, deployment: parts.keeper.latest.id }, 'deployment abandoned')
  })
  return {
    resume: () => life.waker.wake(),
    end: (cause) => endRunning(life, cause),
    over: async () => life.running?.over,
    async close(cause) {
      life.closing = cause
      await endRunning(life, cause)
      await over
    },
  }
}

interface Life extends ExecutionParts {
  waker: ReturnType<typeof createWaker>
  /** Why the deployment takes no more steps. */
  closing: EndCause | undefined
  running: ExecutionRun | undefined
  /** The current step. */
  step: Promise<void>
}

function createLife(parts: ExecutionParts): Life {
  const waker = createWaker()
  return { ...parts, waker, closing: undefined, running: undefined, step: Promise.resolve() }
}

async function endRunning(life: Life, cause: EndCause): Promise<void> {
  life.running?.end(cause)
  life.waker.wake()
  await life.step
}

async function live(life: Life): Promise<void> {
  const { current } = life.keeper.latest
  if (current) await (life.step = recoverExecution(life, current))
  while (!life.closing) await (life.step = takeStep(life))
}

async function takeStep(life: Life): Promise<void> {
  const { keeper, waker } = life
  if (keeper.latest.wanted !== 'running') return rest(life)
  const step = nextStep(stateOf(life), Date.now())
  switch (step.kind) {
    case 'done':
      return rest(life)
    case 'wait':
      return waker.sleep(sleepUntil(step.until))
    case 'missed':
      return noteMissed(life, step)
    case 'start':
      return startExecution(life, step)
  }
}

/** Waits for the operator; lets followers of the log end, because nothing more is to come. */
function rest({ waker, output }: Life): Promise<void> {
  output.nudge()
  return waker.sleep()
}

function stateOf({ keeper, loaded }: Life): ScheduleState {
  return { schedule: loaded.deployment.schedule, ...keeper.latest.plan }
}

function sleepUntil(time: number): number {
  return Math.min(Math.max(0, time - Date.now()), maxSleepMs)
}

async function startExecution(life: Life, step: { index: number; due: number }): Promise<void> {
  const { keeper, loaded, output, feed } = life
  await keeper.change(beginExecution(step, loaded.deployment.schedule, Date.now()))
  const { current } = keeper.latest
  if (!current) return
  await output.tell(`execution ${current.number} starts`, { execution: current.number, attempt: 0 })
  feed.emit({ type: 'execution-started', execution: current.number })
  await attendExecution(life, current, { firstAttempt: 1, restarts: 0 })
}

async function attendExecution(
  life: Life,
  current: ExecutionRecord,
  start: ExecutionStart,
): Promise<void> {
  // The deployment was stopped, or the daemon is ending, before anything was started.
  if (life.closing?.kind === 'interrupt') return
  if (life.closing || life.keeper.latest.wanted !== 'running')
    return finish(life, current, stoppedEarly)
  let isRunning = true
  const run = runExecution(current, start, life)
  life.running = run
  const finished = run.finished.finally(() => {
    isRunning = false
    life.waker.wake()
  })
  // Awaited below, after the loop that it ends.
  finished.catch(() => {})
  while (isRunning) await watchSchedule(life)
  life.running = undefined
  await finished
}

const stoppedEarly: JobExit = { reason: 'killed', detail: 'stopped before it started' }

/** Records executions that are missed while one runs, as soon as they are missed. */
async function watchSchedule(life: Life): Promise<void> {
  const step = nextWhileRunning(stateOf(life), Date.now())
  if (step.kind === 'missed' && life.keeper.latest.wanted === 'running')
    await noteMissed(life, step)
  else await life.waker.sleep(step.kind === 'wait' ? sleepUntil(step.until) : maxSleepMs)
}

async function recoverExecution(life: Life, current: ExecutionRecord): Promise<void> {
  const { keeper, loaded, output } = life
  const unfinished = unfinishedAttempt(current)
  if (unfinished) {
    await keeper.change(endAttempt(unfinished.number, endedWithDaemon, Date.now(), true))
  }
  const found = { wanted: keeper.latest.wanted, current: keeper.latest.current ?? current }
  const recovery = recover(found, loaded.manifest?.restartPolicy ?? 'no', Date.now())
  if (recovery.kind === 'end') return finish(life, current, recovery.exit)
  const source = { execution: current.number, attempt: recovery.firstAttempt }
  await output.tell(`execution ${current.number} continues after a restart of the daemon`, source)
  await attendExecution(life, keeper.latest.current ?? current, recovery)
}

/** Records the end of an execution of which nothing runs. */
async function finish(life: Life, { number }: ExecutionRecord, exit: JobExit): Promise<void> {
  await recordEnd(life, number, exit)
  await discardExecution(life, number)
}
