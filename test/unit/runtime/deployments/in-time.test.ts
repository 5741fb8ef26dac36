/** The deadline of an execution, in every phase. */
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import type {
  Execute,
  ExecutionRequest,
} from '../../../../runtime/src/execution/contract/request.ts'
import { inTime, isLate } from '../../../../runtime/src/execution/contract/deadline.ts'
import { thrownBy } from '../../../support/thrown.ts'

const timeout = { reason: 'timeout', detail: 'the deadline has passed' }

/** The exit of an execution that ends only by its signal. */
function execute(work: Execute, request: Partial<ExecutionRequest>) {
  const never = new AbortController().signal
  return inTime(work)({ signal: never, ...request } as ExecutionRequest)
}

const preparing: Execute = async ({ signal }) => {
  await pause(600_000, undefined, { signal })
  throw new Error('not ended')
}

describe('the deadline', () => {
  test.for([-1, 30])('in %s ms ends the preparation', async (ms) => {
    expect(await execute(preparing, { deadline: Date.now() + ms })).toEqual({ exit: timeout })
  })

  test('is not reported when another signal ended the execution', async () => {
    const stop = new AbortController()
    const deadline = Date.now() + 600_000
    const ended = thrownBy(() => execute(preparing, { deadline, signal: stop.signal }))
    stop.abort(new Error('stopped'))
    expect(await ended).toMatchObject({ cause: { message: 'stopped' } })
  })

  test('does not change a known exit, and is the reason of a job’s signal', async () => {
    const exit = { reason: 'exited', code: 3 } as const
    let seen: boolean[] = []
    const job: Execute = async ({ signal }) => {
      seen = [isLate(signal)]
      await pause(600_000, undefined, { signal }).catch(() => {})
      seen.push(isLate(signal))
      return { exit }
    }
    expect(await execute(job, { deadline: Date.now() + 30 })).toEqual({ exit })
    expect(seen).toEqual([false, true])
  })

  test('does not replace an error that comes in time', async () => {
    const broken: Execute = () => Promise.reject(new Error('broken'))
    expect(await thrownBy(() => execute(broken, { deadline: Date.now() + 600_000 }))).toMatchObject(
      {
        message: 'broken',
      },
    )
  })
})
