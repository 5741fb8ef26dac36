import type { EngineRefusal } from '@causeway/native'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createRefusalLog } from '../../../../runtime/src/bridge/refusal-log.ts'
import { recordingLog } from '../../../support/recording-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

// No process has pid 0, so its command cannot be read.
const peer = { pid: 0, uid: 2, gid: 3 }
const refusal: EngineRefusal = { reason: 'uid', count: 1, peer, observed: 2 }
const told = {
  level: 40,
  peer,
  reason: 'uid',
  observed: 2,
  msg: "caller refused: uid 2 is not the deployment's",
}

test('the first refusal is logged at once, a flood as a sum, and nothing without refusals', () => {
  const { log, lines } = recordingLog()
  const refusals = createRefusalLog(log)
  for (let count = 0; count < 1000; count++) refusals.add(refusal)
  expect(lines).toEqual([told])
  vi.advanceTimersByTime(10_000)
  expect(lines.slice(1)).toEqual([
    { level: 40, refused: { uid: 999 }, msg: '999 more callers refused' },
  ])
  refusals.add(refusal)
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(3)
})

test('each reason has its own first line and its own sum', () => {
  const { log, lines } = recordingLog()
  const { add, flush } = createRefusalLog(log)
  add({ ...refusal, reason: 'too-many', count: 5 })
  add(refusal)
  add({ ...refusal, reason: 'too-many', count: 7 })
  flush()
  expect(lines).toEqual([
    expect.objectContaining({ reason: 'too-many' }),
    told,
    { level: 40, refused: { 'too-many': 11 }, msg: '11 more callers refused' },
  ])
})

test('a flush leaves nothing to log later', () => {
  const { log, lines } = recordingLog()
  const refusals = createRefusalLog(log)
  for (const _ of [1, 2]) refusals.add(refusal)
  refusals.flush()
  refusals.flush()
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(2)
})

test('names the command of a process that still exists', () => {
  const { log, lines } = recordingLog()
  createRefusalLog(log).add({ ...refusal, peer: { ...peer, pid: process.pid } })
  expect(lines[0]).toHaveProperty('peer.command', expect.stringMatching(/./))
})
