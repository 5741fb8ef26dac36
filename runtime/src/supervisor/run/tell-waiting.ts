/** Tells that an execution waits for its host: in the state, to listeners, in the log. @module */
import type { ExecutionParts } from './execution-parts.ts'

export interface Waiting {
  /** Number of the execution. */
  number: number
  /** What keeps the job from starting. */
  fault: string
  /** Time until the next try. */
  delayMs: number
}

/** The log has it only when the fault is another one than before. */
export async function tellWaiting(
  {
    live,
    output,
    feed,
    keeper,
    log,
  }: Pick<ExecutionParts, 'live' | 'output' | 'feed' | 'keeper' | 'log'>,
  { number, fault, delayMs }: Waiting,
): Promise<void> {
  const isNew = live.waiting !== fault
  live.wait(fault)
  feed.emit({ type: 'waiting', execution: number, fault, delayMs })
  if (!isNew) return
  log.warn(
    { deployment: keeper.latest.id, execution: number, reason: fault },
    'execution waits for the host',
  )
  const source = { execution: number, attempt: 0 }
  await output.tell(`execution ${number} waits for the host, and is tried again: ${fault}`, source)
}
