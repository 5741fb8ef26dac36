/**
 * What happens in an execution → its record, its log, and whoever listens, in this order.
 * @module
 */
import type { Logger } from '@causeway/service/log'
import { createEventText } from './describe-event.ts'
import type { EventFeed } from './event-feed.ts'
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
  /** Whether what ends now is ended with the daemon. */
  isInterrupted: () => boolean
}

export interface ExecutionNews {
  /** Takes an event; nobody sees it before what it says is in the record. */
  take(event: ExecutionEvent): void
  /** Resolves when all that was taken is told. */
  told(): Promise<void>
}

export function createExecutionNews(options: NewsOptions): ExecutionNews {
  const describe = createEventText()
  let last = Promise.resolve()
  return {
    take(event) {
      // At once, before anything of the next attempt.
      const recorded = recordEvent(options, event)
      last = last
        .then(() => recorded)
        .then(() => tellEvent(options, event, describe(event)))
        .catch((error: unknown) => {
          options.log.error({ err: error }, 'what happened to a job could not be told')
        })
    },
    told: () => last,
  }
}

/** Resolves once the record on disk knows of what can be told then. */
async function recordEvent(
  { keeper, isInterrupted }: NewsOptions,
  event: ExecutionEvent,
): Promise<void> {
  if (event.type === 'job-started') return keeper.change((record) => record)
  if (event.type !== 'attempt-ended') return
  const { attempt, exit } = event
  await keeper.change(endAttempt(attempt, exit, Date.now(), isInterrupted()))
}

async function tellEvent(
  { output, feed, live, current }: NewsOptions,
  event: ExecutionEvent,
  text: string | undefined,
): Promise<void> {
  live.take(event)
  const attempt = 'attempt' in event ? event.attempt : 0
  if (text !== undefined) await output.tell(text, { execution: current.number, attempt })
  feed.emit(event)
}
