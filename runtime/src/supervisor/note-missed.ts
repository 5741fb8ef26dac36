/** Records executions that could not start in time, with one entry for several in a row. @module */
import type { ExecutionParts } from './run/execution-parts.ts'
import { missExecutions } from './record/record-changes.ts'
import type { ScheduleStep } from './schedule/schedule.ts'

export async function noteMissed(
  { keeper, output, feed, log }: ExecutionParts,
  step: Extract<ScheduleStep, { kind: 'missed' }>,
): Promise<void> {
  await keeper.change(missExecutions(step))
  const { count, firstDue, lastDue } = step
  const [first, last] = [firstDue, lastDue].map((time) => new Date(time).toISOString())
  const when = count === 1 ? `due ${first}` : `due ${first} to ${last}`
  await output.tell(`missed ${count} ${count === 1 ? 'execution' : 'executions'}, ${when}`)
  log.warn({ deployment: keeper.latest.id, count, first, last }, 'executions missed')
  feed.emit({ type: 'missed', count, firstDue, lastDue })
}
