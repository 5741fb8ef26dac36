/** Passes events of an execution to its record, then its log, then listeners. @module */
import type { Logger } from '@causeway/service/log'
import { saysPassing } from '../../errors/host-fault.ts'
import type { JobExit } from '../../execution/contract/exit.ts'
import { createEventText } from './describe-event.ts'
import type { EventFeed } from './event-feed.ts'
import { describeExit } from '../../execution/contract/exit.ts'
import type { ExecutionEvent } from '../../execution/contract/request.ts'
import type { LiveState } from './live-state.ts'
import type { DeploymentLog } from '../log/logs.ts'
import type { ExecutionRecord } from '../record/record.ts'
import { endAttempt } from '../record/record-changes.ts'
import type { RecordKeeper } from '../record/record-keeper.ts'

export interface NewsOptions {
  current: ExecutionRecord
  keeper: RecordKeeper
  output: DeploymentLog
  feed: EventFeed
  live: LiveState
  log: Logger
  /** Whether the daemon's end is what ends the execution. */
  isInterrupted: () => boolean
}

export interface ExecutionNews {
  /** Takes an event; nobody sees it before the record contains it. */
  take(event: ExecutionEvent): void
  /** Resolves when all events so far are in the log and at the listeners. */
  told(): Promise<void>
}

export function createExecutionNews(options: NewsOptions): ExecutionNews {
  const describe = createEventText()
  let last = Promise.resolve()
  return {
    take(event) {
      // Recorded at once, before the next attempt changes the record.
      const recorded = recordEvent(options, event)
      last = last
        .then(() => recorded)
        .then(() => tellEvent(options, event, describe(event)))
        .catch((error: unknown) => {
          options.log.error({ err: error }, 'an event of a job could not be logged')
        })
    },
    told: () => last,
  }
}

/** Resolves once the record on disk contains the event. */
async function recordEvent(
  { keeper, isInterrupted }: NewsOptions,
  event: ExecutionEvent,
): Promise<void> {
  if (event.type === 'job-started') return keeper.change((record) => record)
  if (event.type !== 'attempt-ended') return
  const { attempt, exit } = event
  const goesOn = isInterrupted() || isPassing(exit)
  await keeper.change(endAttempt(attempt, exit, Date.now(), goesOn))
}

/** Whether a fault of the host that passes kept the job from starting. */
export function isPassing(exit: JobExit): exit is Extract<JobExit, { reason: 'start-failed' }> {
  return exit.reason === 'start-failed' && saysPassing(exit.detail)
}

async function tellEvent(
  options: NewsOptions,
  event: ExecutionEvent,
  text: string | undefined,
): Promise<void> {
  const { output, feed, live, current } = options
  live.take(event)
  tellDaemon(options, event)
  const attempt = 'attempt' in event ? event.attempt : 0
  if (text !== undefined) await output.tell(text, { execution: current.number, attempt })
  feed.emit(event)
}

/** A line of the daemon's log for each start and restart; the end of an execution has its own. */
function tellDaemon({ log, keeper }: NewsOptions, event: ExecutionEvent): void {
  const { id: deployment, current } = keeper.latest
  const execution = current?.number
  if (event.type === 'job-started') {
    const { attempt, uid } = event
    log.info({ deployment, execution, attempt, uid }, 'job started')
  }
  if (event.type === 'restarting') {
    const { attempt, delayMs } = event
    const before = current?.attempts.find(({ number }) => number === attempt - 1)
    const reason = before?.exit && describeExit(before.exit)
    log.info({ deployment, execution, attempt, delayMs, reason }, 'job starts again')
  }
}
