import { describe, expect, test } from 'vitest'
import {
  exitOf,
  parseWaitStatus,
  statusOf,
  type JobExit,
} from '../../../../runtime/src/sandbox/exit.ts'
import { exitCodeOf } from '../../../../runtime/src/cli/exit-codes.ts'

describe('a raw wait status', () => {
  test.for<[number, object]>([
    [0, { code: 0 }],
    [3 << 8, { code: 3 }],
    [255 << 8, { code: 255 }],
    [9, { signal: 'SIGKILL', number: 9 }],
    [11, { signal: 'SIGSEGV', number: 11 }],
    [11 | 0x80, { signal: 'SIGSEGV', number: 11 }],
    [15, { signal: 'SIGTERM', number: 15 }],
    [40, { signal: 'SIG40', number: 40 }],
  ])('%i', ([status, expected]) => {
    expect(parseWaitStatus(status)).toEqual(expected)
  })
})

describe('how a job ended', () => {
  const status = { code: 5 }
  const ends: [JobExit, number, object | undefined][] = [
    [exitOf({ code: 3 }), 3, { code: 3 }],
    [exitOf({ signal: 'SIGSEGV', number: 11 }), 139, { signal: 'SIGSEGV', number: 11 }],
    [{ reason: 'oom', detail: 'x' }, 137, undefined],
    [{ reason: 'killed', detail: 'x', status }, 137, status],
    [{ reason: 'timeout', detail: 'x', status }, 124, status],
    [{ reason: 'start-failed', detail: 'x' }, 125, undefined],
  ]
  test.for(ends)('%j', ([exit, code, own]) => {
    expect(exitCodeOf(exit)).toBe(code)
    expect(statusOf(exit)).toEqual(own)
  })
})
