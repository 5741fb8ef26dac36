/** Admission after the tracer of a job has died, and the end of its run. */
import { readFileSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, test } from 'vitest'
import { childrenOf } from '../../runtime/src/sandbox/launcher/process-tree.ts'
import type { Agent } from '../support/admission-agent.ts'
import {
  admitted,
  callTwice,
  keyCall,
  refused,
  rejectedLate,
  statusOf,
} from '../support/admission-calls.ts'
import type { Run } from '../support/admission-run.ts'
import { useRuns } from '../support/admission-runs.ts'
import { ways } from '../support/admission-ways.ts'

const runs = useRuns()
const namespaceWays = ways.filter(({ by }) => by === 'pid-namespace')
describe.each(namespaceWays)('$name: when PRoot is killed', (way) => {
  test('no process of the job survives', async () => {
    const run = await runs.start(way)
    const family = [run.main, await run.main.fork(), await run.main.fork('daemon')]
    for (const member of family) expect(await callTwice(member, run.socket)).toMatchObject(admitted)
    process.kill(run.tracer, 'SIGKILL')
    await Promise.all(family.map(({ ended }) => ended))
    expect(await run.finished).toMatchObject({ code: 137 })
    expect(family.map((member) => member.hostPid())).toEqual([undefined, undefined, undefined])
  })
})

const tracerWays = ways.filter(({ by }) => by === 'tracer')
describe.each(tracerWays)('$name: when PRoot is killed', (way) => {
  test('a survivor is refused, known before or not', async () => {
    const run = await runs.start(way)
    const [known, unknown] = [await run.main.fork(), await run.main.fork()]
    expect(await callTwice(known, run.socket)).toMatchObject(admitted)
    await known.do('open', { key: 'held', name: run.socket })
    const resumeOthers = await killTracerAlone(run)
    try {
      await until(() => [known, unknown].every(isUntraced))
      expect(await known.callOn('held', ...keyCall)).toMatchObject(rejectedLate)
      expect(await run.logged(({ reason }) => reason !== undefined)).toMatchObject({
        reason: 'tracer',
        observed: 0,
        peer: { pid: known.hostPid(), command: known.hello.label },
      })
      expect(await callTwice(known, run.socket)).toMatchObject(refused)
      expect(await callTwice(unknown, run.socket)).toMatchObject(refused)
    } finally {
      resumeOthers()
    }
    const { code, stderr } = await run.finished
    expect(code).toBe(137)
    expect(stderr).toContain('"refused":{"tracer":4}')
    expect([known.hostPid(), unknown.hostPid()]).toEqual([undefined, undefined])
  })
})

/**
 * Kills PRoot while the processes that would then end the job are stopped: the launcher, and the
 * guest's init, which PRoot would resume if PRoot itself were running.
 */
async function killTracerAlone({ launcher, tracer }: Run): Promise<() => void> {
  const init = childrenOf(tracer)[0]!
  for (const pid of [launcher, tracer, init]) {
    process.kill(pid, 'SIGSTOP')
    await until(() => /^t$/i.test(stateOf(pid)))
  }
  process.kill(tracer, 'SIGKILL')
  await until(() => stateOf(init) === 'T')
  // Resumes the launcher last: it kills the other.
  return () => [init, launcher].forEach((pid) => process.kill(pid, 'SIGCONT'))
}

/** The state letter of `/proc/PID/status`. */
function stateOf(pid: number): string {
  return /^State:\s*(\w)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]!
}

function isUntraced(agent: Agent): boolean {
  return statusOf(agent.hostPid()!, 'TracerPid') === 0
}

async function until(isSo: () => boolean): Promise<void> {
  while (!isSo()) await pause(1)
}

describe.each(ways)('$name: the end of the run', (way) => {
  test('also comes for a job of many threads', async () => {
    const run = await runs.start(way)
    const member = await run.main.fork()
    await member.do('thread')
    await run.main.fork('threaded')
    expect(await run.stop()).toMatchObject({ code: 143 })
    expect(member.hostPid()).toBe(undefined)
  })
})
