import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createRefusalLog } from '../../../../runtime/src/bridge/refusal-log.ts'
import { recordingLog } from '../../../support/recording-log.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

test('the first refusal is told at once, a flood as a sum, a quiet time as nothing', () => {
  const { log, lines } = recordingLog()
  const refused = createRefusalLog(log)
  const refusal = new RpcError('PEER_REJECTED', 'not yours')
  const peer = { pid: 1, uid: 2, gid: 3 }
  for (let count = 0; count < 1000; count++) refused(peer, refusal)
  expect(lines).toEqual([
    { level: 40, peer, kind: 'PEER_REJECTED', msg: 'connection refused: not yours' },
  ])
  vi.advanceTimersByTime(10_000)
  expect(lines.slice(1)).toEqual([{ level: 40, refused: 999, msg: '999 more connections refused' }])
  refused(peer, refusal)
  vi.advanceTimersByTime(60_000)
  expect(lines).toHaveLength(3)
})
