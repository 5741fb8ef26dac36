/**
 * Computes when a deployment's executions start and end (agent spec, JobSpec): the first at its
 * start time, then one every interval until its end time.
 * @module
 */
import type { Schedule } from '@causeway/manifest'
import { StartError } from '../../errors/start-error.ts'

// Stands for 0 in the field.
const defaultMaxStartDelayMs = 30_000

/** A schedule with the state of its executions. */
export interface ScheduleState {
  schedule: Schedule
  /** Unix ms of the first execution: the schedule's start time, or the time of deployment. */
  start: number
  /** Number of the next execution that is neither started nor missed; the first is 0. */
  next: number
}

/** The next thing to do. */
export type ScheduleStep =
  | { kind: 'wait'; until: number }
  | { kind: 'start'; index: number; due: number }
  /** Executions that are later than the allowed delay. */
  | { kind: 'missed'; first: number; count: number; firstDue: number; lastDue: number }
  | { kind: 'done' }

/** @throws StartError SCHEDULE_INVALID when executions would overlap, or none would ever start */
export function checkSchedule(file: string, schedule: Schedule, now: number): void {
  const { startTime, endTime, duration, interval } = schedule
  if (interval > 0 && duration > interval) {
    throw invalid(
      file,
      `duration: expected at most the interval of ${interval} ms, found ${duration}`,
    )
  }
  if (endTime > 0 && endTime <= Math.max(now, startTime)) {
    throw invalid(
      file,
      `endTime: expected a time in the future, found ${new Date(endTime).toISOString()}`,
    )
  }
}

function invalid(file: string, text: string): StartError {
  return new StartError('SCHEDULE_INVALID', `${file}: schedule.${text}`)
}

/** The next step; after `start` and `missed` the caller advances `next`. */
export function nextStep(state: ScheduleState, now: number): ScheduleStep {
  const { next } = state
  if (next >= executionCount(state)) return { kind: 'done' }
  const due = dueTime(state, next)
  if (now < due) return { kind: 'wait', until: due }
  if (now - due <= maxStartDelay(state)) return { kind: 'start', index: next, due }
  return missedStep(state, now)
}

/** The next step while an execution runs: the following one waits until it can only be missed. */
export function nextWhileRunning(state: ScheduleState, now: number): ScheduleStep {
  const step = nextStep(state, now)
  if (step.kind !== 'start') return step
  return { kind: 'wait', until: step.due + maxStartDelay(state) + 1 }
}

/** All missed executions in one step, however long the host slept. */
function missedStep(state: ScheduleState, now: number): ScheduleStep {
  const { schedule, start, next } = state
  const { interval } = schedule
  const lastTooLate =
    interval === 0 ? 0 : Math.ceil((now - maxStartDelay(state) - start) / interval) - 1
  const last = Math.min(lastTooLate, executionCount(state) - 1)
  return {
    kind: 'missed',
    first: next,
    count: last - next + 1,
    firstDue: dueTime(state, next),
    lastDue: dueTime(state, last),
  }
}

/** Deadline of an execution that started at `startedAt`; undefined without a limit. */
export function deadlineOf({ duration, endTime }: Schedule, startedAt: number): number | undefined {
  const ends = [...(duration > 0 ? [startedAt + duration] : []), ...(endTime > 0 ? [endTime] : [])]
  return ends.length > 0 ? Math.min(...ends) : undefined
}

/** Until when an execution may begin that was due at a time; a single one until the end time. */
export function lastStart(schedule: Schedule, due: number): number {
  if (schedule.interval === 0) return schedule.endTime || Infinity
  return due + maxStartDelay({ schedule })
}

/** Number of the first execution at or after a time. */
export function firstFrom({ schedule: { interval }, start }: ScheduleState, time: number): number {
  if (time <= start) return 0
  return interval === 0 ? 1 : Math.ceil((time - start) / interval)
}

function dueTime({ schedule, start }: ScheduleState, index: number): number {
  return start + index * schedule.interval
}

/** Executions start before the end time, not at it. */
function executionCount({ schedule: { interval, endTime }, start }: ScheduleState): number {
  if (endTime > 0 && start >= endTime) return 0
  if (interval === 0) return 1
  return endTime > 0 ? Math.ceil((endTime - start) / interval) : Infinity
}

function maxStartDelay({ schedule }: Pick<ScheduleState, 'schedule'>): number {
  return schedule.maxStartDelay || defaultMaxStartDelayMs
}
