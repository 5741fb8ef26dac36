import { PassThrough } from 'node:stream'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import type { ExecutionRequest } from '../../../../runtime/src/execution/contract/request.ts'
import { inTime } from '../../../../runtime/src/execution/contract/deadline.ts'
import { attendJob } from '../../../../runtime/src/execution/attend-job.ts'
import { exited } from '../../../support/scripted-jobs.ts'

setFlagsFromString('--expose-gc')
const collectGarbage = runInNewContext('gc') as () => void

const count = 100

test('an ended execution can be garbage-collected while its signal lives on', async () => {
  let collected = 0
  const registry = new FinalizationRegistry(() => collected++)
  const execute = inTime(async (request) => {
    const [stdout, stderr] = [new PassThrough(), new PassThrough()]
    registry.register(stdout, undefined)
    const job = {
      stdout,
      stderr,
      started: Promise.resolve(true),
      exited: Promise.resolve(exited(0)),
      stop() {},
      kill() {},
    }
    const started = { type: 'job-started', attempt: 1, uid: 1, sandbox: '', command: [] } as const
    return { exit: await attendJob(job, { request, started, graceMs: 1 }) }
  })
  // Like the daemon's signal, which outlives all executions.
  const [stop, noGrace] = [new AbortController(), new AbortController()]
  const request = {
    signal: stop.signal,
    noGrace: noGrace.signal,
    graceMs: () => undefined,
    onEvent: () => {},
    onOutput: () => Promise.resolve(),
  }
  for (let turn = 0; turn < count; turn++) {
    expect(await execute(request as unknown as ExecutionRequest)).toEqual({ exit: exited(0) })
  }
  // A register may still refer to the last one.
  await expect
    .poll(() => (collectGarbage(), collected), { timeout: 10_000 })
    .toBeGreaterThanOrEqual(count - 5)
}, 20_000)
