/**
 * What a deployment does next when its operator starts it again.
 * @module
 */
import type { Deployment } from '@causeway/manifest'
import type { RecordChange } from './record/record-changes.ts'
import { checkSchedule, firstFrom } from './schedule/schedule.ts'

/**
 * What was planned for the time in which it was stopped is passed over; an only execution that
 * was due already begins now.
 * @throws StartError SCHEDULE_INVALID when its end time has passed
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
