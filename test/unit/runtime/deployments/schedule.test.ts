/** Schedules of the agent specification, at exact times. */
import type { Schedule } from '@causeway/manifest'
import { describe, expect, test } from 'vitest'
import {
  checkSchedule,
  deadlineOf,
  firstFrom,
  nextStep,
  nextWhileRunning,
} from '../../../../runtime/src/supervisor/schedule/schedule.ts'
import { thrownBy } from '../../../support/thrown.ts'

const start = Date.UTC(2026, 0, 1)
const none: Schedule = { startTime: 0, endTime: 0, duration: 0, interval: 0, maxStartDelay: 0 }
const stateOf = (schedule: Partial<Schedule>, next = 0) => ({
  schedule: { ...none, ...schedule },
  start,
  next,
})

describe('a schedule without an interval', () => {
  test('has one execution, at its start time', () => {
    expect(nextStep(stateOf({}), start - 1)).toEqual({ kind: 'wait', until: start })
    expect(nextStep(stateOf({}), start)).toEqual({ kind: 'start', index: 0, due: start })
    expect(nextStep(stateOf({}, 1), start)).toEqual({ kind: 'done' })
  })

  test('may start 30 s late, or as late as the schedule says', () => {
    const missed = { kind: 'missed', first: 0, count: 1, firstDue: start, lastDue: start }
    expect(nextStep(stateOf({}), start + 30_000)).toMatchObject({ kind: 'start' })
    expect(nextStep(stateOf({}), start + 30_001)).toEqual(missed)
    expect(nextStep(stateOf({ maxStartDelay: 5 }), start + 5)).toMatchObject({ kind: 'start' })
    expect(nextStep(stateOf({ maxStartDelay: 5 }), start + 6)).toEqual(missed)
  })

  test('never starts at or after its end time', () => {
    expect(nextStep(stateOf({ endTime: start }), start)).toEqual({ kind: 'done' })
  })
})

describe('a schedule with an interval', () => {
  const hourly = { interval: 3_600_000, maxStartDelay: 1000 }
  const due = (index: number) => start + index * hourly.interval

  test('is due every interval until its end time', () => {
    const state = (next: number) => stateOf({ ...hourly, endTime: due(3) }, next)
    for (const index of [0, 1, 2]) {
      expect(nextStep(state(index), due(index))).toEqual({ kind: 'start', index, due: due(index) })
    }
    expect(nextStep(state(3), due(3))).toEqual({ kind: 'done' })
    expect(nextStep(stateOf({ ...hourly, endTime: due(2) + 1 }, 2), due(2))).toMatchObject({
      kind: 'start',
    })
  })

  test('skips all late executions in one step, however long the host slept', () => {
    const years = 20 * 365 * 24
    expect(nextStep(stateOf(hourly, 1), due(years) + 1001)).toEqual({
      kind: 'missed',
      first: 1,
      count: years,
      firstDue: due(1),
      lastDue: due(years),
    })
  })

  test('still starts an execution that is late by less than the allowed delay', () => {
    expect(nextStep(stateOf(hourly, 1), due(5) + 1000)).toMatchObject({ count: 4, first: 1 })
    expect(nextStep(stateOf(hourly, 5), due(5) + 1000)).toMatchObject({ kind: 'start', index: 5 })
  })

  test('skips none after its end time', () => {
    const state = stateOf({ ...hourly, endTime: due(3) }, 1)
    expect(nextStep(state, due(1000))).toMatchObject({ count: 2, lastDue: due(2) })
  })

  test('takes one step, too, with an interval of 1 ms and a start far in the past', () => {
    const step = nextStep(stateOf({ interval: 1, maxStartDelay: 1 }), start + 1e12)
    expect(step).toMatchObject({ kind: 'missed', count: 1e12 - 1 })
  })

  test('does not end a running execution: the next one waits, and is missed after its delay', () => {
    expect(nextWhileRunning(stateOf(hourly, 1), due(1))).toEqual({
      kind: 'wait',
      until: due(1) + 1001,
    })
    expect(nextWhileRunning(stateOf(hourly, 1), due(1) + 1001)).toMatchObject({ kind: 'missed' })
  })

  test('missed executions end just before the first one that is not too late', () => {
    for (let late = 0; late < 50; late++) {
      const state = stateOf({ interval: 7, maxStartDelay: 3 })
      const step = nextStep(state, start + late)
      if (step.kind !== 'missed') continue
      const after = nextStep({ ...state, next: step.first + step.count }, start + late)
      expect(after.kind, `${late} ms`).not.toBe('missed')
      expect(start + late - step.lastDue, `${late} ms`).toBeGreaterThan(3)
    }
  })
})

describe('the end of an execution', () => {
  test.for([
    { schedule: {}, expected: undefined },
    { schedule: { duration: 10 }, expected: start + 15 },
    { schedule: { endTime: start + 12 }, expected: start + 12 },
    { schedule: { duration: 10, endTime: start + 12 }, expected: start + 12 },
    { schedule: { duration: 10, endTime: start + 90 }, expected: start + 15 },
  ])('$schedule', ({ schedule, expected }) => {
    expect(deadlineOf({ ...none, ...schedule }, start + 5)).toBe(expected)
  })
})

describe('an impossible schedule is refused', () => {
  test.for([
    {
      schedule: { duration: 11, interval: 10 },
      message: 'schedule.duration: expected at most the interval of 10 ms, found 11',
    },
    {
      schedule: { endTime: start },
      message: 'schedule.endTime: expected a time in the future, found 2026-01-01T00:00:00.000Z',
    },
    {
      schedule: { startTime: start + 10, endTime: start + 10 },
      message: 'schedule.endTime: expected a time in the future, found 2026-01-01T00:00:00.010Z',
    },
  ])('$message', async ({ schedule, message }) => {
    const error = await thrownBy(() => checkSchedule('d.json', { ...none, ...schedule }, start))
    expect(error).toMatchObject({ kind: 'SCHEDULE_INVALID', message: `d.json: ${message}` })
  })

  test('and possible ones are not', () => {
    const schedule = { ...none, duration: 10, interval: 10, endTime: start + 1 }
    expect(() => checkSchedule('d.json', schedule, start)).not.toThrow()
  })
})

test('firstFrom returns the first execution at or after a time', () => {
  expect(firstFrom(stateOf({ interval: 10 }), start - 5)).toBe(0)
  expect(firstFrom(stateOf({ interval: 10 }), start)).toBe(0)
  expect(firstFrom(stateOf({ interval: 10 }), start + 1)).toBe(1)
  expect(firstFrom(stateOf({ interval: 10 }), start + 20)).toBe(2)
  expect(firstFrom(stateOf({}), start + 1)).toBe(1)
})
