/** Plans the executions of a deployment that an operator starts again. @module */
import type { Deployment } from '@causeway/manifest'
import type { RecordChange } from './record/record-changes.ts'
import { checkSchedule, firstFrom } from './schedule/schedule.ts'

/**
 * Skips executions planned for the time in which the deployment was stopped. A single execution
 * that was already due starts now.
 * @throws StartError SCHEDULE_INVALID when the end time has passed
 */
export function restartPlan({ file, schedule }: Deployment, now: number): RecordChange {
  checkSchedule(file, schedule, now)
  return (record) => {
    const { start, next } = record.plan
    const planned = firstFrom({ schedule, start, next }, now)
    const isOver = schedule.interval === 0 && (next > 0 || planned > 0)
    const plan = isOver ? { start: now, next: 0 } : { start, next: Math.max(next, planned) }
    return { ...record, wanted: 'running', plan }
  }
}
