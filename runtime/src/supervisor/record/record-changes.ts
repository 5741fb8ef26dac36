/** Changes to a deployment's record, one function for each kind of event. @module */
import type { Schedule } from '@causeway/manifest'
import type { JobExit } from '../../execution/contract/exit.ts'
import type { AttemptRecord, DeploymentRecord, ExecutionRecord, PastExecution } from './record.ts'
import { deadlineOf, type ScheduleStep } from '../schedule/schedule.ts'

const maxHistory = 100
const maxAttempts = 20

export type RecordChange = (record: DeploymentRecord) => DeploymentRecord

/** Starts a planned execution. */
export function beginExecution(
  { index, due }: { index: number; due: number },
  schedule: Schedule,
  now: number,
): RecordChange {
  return (record) => {
    const number = record.executions + 1
    const deadline = deadlineOf(schedule, now)
    const limit = deadline === undefined ? {} : { deadline }
    const current = { number, due, startedAt: now, ...limit, restarts: 0, attempts: [] }
    return { ...record, executions: number, plan: { ...record.plan, next: index + 1 }, current }
  }
}

/** Skips missed executions; several in a row are one line of the history. */
export function missExecutions({
  first,
  count,
  firstDue,
  lastDue,
}: Extract<ScheduleStep, { kind: 'missed' }>): RecordChange {
  return (record) => {
    const [latest, ...older] = record.history
    const history: PastExecution[] =
      latest?.kind === 'missed'
        ? [{ ...latest, count: latest.count + count, lastDue }, ...older]
        : [{ kind: 'missed', count, firstDue, lastDue }, ...record.history]
    const plan = { ...record.plan, next: first + count }
    return { ...record, plan, missed: record.missed + count, history: history.slice(0, maxHistory) }
  }
}

/** Lets the time of an execution begin again: it has waited for the host, and no job has run. */
export function beginAgain(schedule: Schedule, now: number): RecordChange {
  const deadline = deadlineOf(schedule, now)
  // A schedule has a deadline for all executions, or for none.
  const times = { startedAt: now, ...(deadline !== undefined && { deadline }) }
  return inCurrent((current) => ({ ...current, ...times }))
}

export function beginAttempt(number: number, now: number): RecordChange {
  return inCurrent((current) => {
    const isRestart = restartsBefore(current) > current.restarts
    const attempts = [...current.attempts, { number, startedAt: now }].slice(-maxAttempts)
    return { ...current, restarts: current.restarts + (isRestart ? 1 : 0), attempts }
  })
}

export function endAttempt(
  number: number,
  exit: JobExit,
  now: number,
  interrupted: boolean,
): RecordChange {
  const end = { endedAt: now, exit, ...(interrupted && { interrupted }) }
  return inCurrent((current) => {
    const isKnown = current.attempts.some((attempt) => attempt.number === number)
    const attempts: AttemptRecord[] = isKnown
      ? current.attempts
      : [...current.attempts, { number, startedAt: now }]
    return {
      ...current,
      attempts: attempts.map((attempt) =>
        attempt.number === number ? { ...attempt, ...end } : attempt,
      ),
    }
  })
}

/** Restarts once the next attempt has started; one after an interruption does not count. */
export function restartsBefore({ restarts, attempts }: ExecutionRecord): number {
  const last = attempts.at(-1)
  return last?.exit && !last.interrupted ? restarts + 1 : restarts
}

export function endExecution(exit: JobExit, now: number): RecordChange {
  return ({ current, ...record }) => {
    if (!current) return record
    const ended: PastExecution = { kind: 'ended', ...current, endedAt: now, exit }
    return { ...record, history: [ended, ...record.history].slice(0, maxHistory) }
  }
}

/** Sets what the operator wants; an execution being stopped is not continued after a crash. */
export function want(wanted: DeploymentRecord['wanted']): RecordChange {
  return (record) => {
    const { current } = record
    const isStopping = current !== undefined && wanted !== 'running'
    return { ...record, wanted, ...(isStopping && { current: { ...current, stopping: true } }) }
  }
}

function inCurrent(change: (current: ExecutionRecord) => ExecutionRecord): RecordChange {
  return (record) => {
    const { current } = record
    return current ? { ...record, current: change(current) } : record
  }
}
