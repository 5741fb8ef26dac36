/** How a supervisor continues after one that was killed at any moment, or asked to end. */
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import type {
  DeploymentRecord,
  ExecutionRecord,
} from '../../../../runtime/src/supervisor/record/record.ts'
import { test } from '../../../support/folder-fixture.ts'
import { exited } from '../../../support/scripted-jobs.ts'
import {
  nameOf,
  testSupervisor,
  type TestSupervisor,
} from '../../../support/supervised-deployments.ts'

/** A copy of the files as a killed daemon leaves them. */
function crash(host: TestSupervisor, folder: string): string {
  for (;;) {
    const left = join(folder, `left-${crashes++}`)
    mkdirSync(left)
    try {
      cpSync(host.deployments, join(left, 'deployments'), { recursive: true })
      return left
    } catch {
      // A file disappeared while it was copied.
    }
  }
}
let crashes = 0

const ended = { reason: 'killed', detail: 'the daemon ended' }

const recordPath = (folder: string, id: string) =>
  join(folder, 'deployments', nameOf(id), 'record.json')
const recordIn = (folder: string, id: string) =>
  JSON.parse(readFileSync(recordPath(folder, id), 'utf8')) as DeploymentRecord

/** A copy with a changed record, as a kill at another moment would leave it. */
function crashWith(
  host: TestSupervisor,
  folder: string,
  { current, ...changes }: { wanted?: 'stopped'; current: Partial<ExecutionRecord> },
): string {
  const left = crash(host, folder)
  const record = recordIn(left, 'one')
  const changed = { ...record, ...changes, current: { ...record.current, ...current } }
  writeFileSync(recordPath(left, 'one'), JSON.stringify(changed))
  return left
}

describe('an execution that ran when the daemon was killed', () => {
  test('continues: same number, next attempt, same root', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    const job = await host.jobs.next()
    writeFileSync(join(job.request.folder, 'root'), 'made by the first attempt')
    job.print('before\n')
    await expect.poll(() => host.logOf('one')).toContain('stdout: before')
    const left = crash(host, folder)

    await using after = await testSupervisor(left)
    const next = await after.jobs.next()
    expect(next.request).toMatchObject({ firstAttempt: 2, restarts: 0 })
    expect(readFileSync(join(next.request.folder, 'root'), 'utf8')).toContain('first attempt')
    next.end(exited(5))
    await after.reach('one', 'ended')
    const [past] = after.supervisor.inspect('one').history!
    expect(past).toMatchObject({ number: 1, exit: exited(5), restarts: 0 })
    expect(past).toHaveProperty('attempts', [
      expect.objectContaining({ number: 1, exit: ended, interrupted: true }),
      expect.objectContaining({ number: 2, exit: exited(5) }),
    ])
    expect(await after.logOf('one')).toContain('stdout: before')
  })

  test('is ended when its time is over', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { deployment: { schedule: { duration: 60_000 } } })
    await host.jobs.next()
    const left = crashWith(host, folder, { current: { deadline: Date.now() - 1 } })
    await using after = await testSupervisor(left)
    await after.reach('one', 'ended')
    expect(after.supervisor.inspect('one').exit).toEqual(ended)
    expect(after.jobs.begun).toBe(0)
    const executions = join(left, 'deployments', nameOf('one'), 'executions')
    await expect.poll(() => readdirSync(executions)).toEqual([])
  })

  test('is ended when it was being stopped', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    await host.jobs.next()
    const left = crashWith(host, folder, { wanted: 'stopped', current: { stopping: true } })
    await using after = await testSupervisor(left)
    await after.reach('one', 'stopped')
    expect(after.supervisor.inspect('one').exit).toEqual(ended)
    expect(after.jobs.begun).toBe(0)
  })

  test('is not run again when its exit is known, and the exit is kept', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    await host.jobs.next()
    const attempts = [{ number: 1, startedAt: 1, endedAt: 2, exit: exited(42) }]
    const left = crashWith(host, folder, { current: { attempts } })
    await using after = await testSupervisor(left)
    await after.reach('one', 'ended')
    expect(after.supervisor.inspect('one').exit).toEqual(exited(42))
    expect(after.jobs.begun).toBe(0)
  })

  test('continues with the next attempt when it was between two, and counts it', async ({
    folder,
  }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { restartPolicy: 'onFailure' })
    await host.jobs.next()
    const attempts = [{ number: 2, startedAt: 1, endedAt: 2, exit: exited(1) }]
    const left = crashWith(host, folder, { current: { restarts: 1, attempts } })
    await using after = await testSupervisor(left)
    const third = await after.jobs.next()
    expect(third.request).toMatchObject({ firstAttempt: 3, restarts: 2 })
    third.end(exited(1))
    const fourth = await after.jobs.next()
    fourth.end(exited(1))
    await after.reach('one', 'ended')
    expect(after.supervisor.inspect('one').history).toMatchObject([{ restarts: 3 }])
  })

  test('keeps its restarts however often the daemon is killed', async ({ folder }) => {
    let left = folder
    for (let attempt = 1; attempt <= 6; attempt++) {
      const host = await testSupervisor(left)
      if (attempt === 1) await host.deploy('one', { restartPolicy: 'onFailure' })
      expect((await host.jobs.next()).request).toMatchObject({ firstAttempt: attempt, restarts: 0 })
      await host.reach('one', 'running')
      const next = crash(host, folder)
      await host.supervisor.close()
      left = next
    }
  })

  test('at any moment: each exit is reported once, and none is lost', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { restartPolicy: 'always' })
    const left: string[] = []
    const snapshots = (async () => {
      for (let count = 0; count < 40; count++) {
        await pause(count % 4)
        left.push(crash(host, folder))
      }
    })()
    for (const code of [1, 2, 3]) {
      ;(await host.jobs.next()).end(exited(code))
      await pause(10)
    }
    ;(await host.jobs.next()).end(exited(4))
    await snapshots
    for (const place of left) {
      const known = recordIn(place, 'one')
      const attempts = (record: DeploymentRecord) => [
        ...(record.current?.attempts ?? []),
        ...record.history.flatMap((past) => (past.kind === 'ended' ? past.attempts : [])),
      ]
      const before = attempts(known).filter(({ exit }) => exit)
      await using after = await testSupervisor(place)
      if (isOver(known)) await after.reach('one', 'ended')
      else await after.jobs.next()
      await expect.poll(() => after.supervisor.inspect('one').state).not.toBe('preparing')
      const numbers = attempts(recordIn(place, 'one')).map(({ number }) => number)
      expect(new Set(numbers).size).toBe(numbers.length)
      expect(attempts(recordIn(place, 'one'))).toEqual(expect.arrayContaining(before))
    }
  }, 60_000)
})

/** Whether the last attempt has ended. */
function isOver({ current, executions }: DeploymentRecord): boolean {
  if (!current) return executions > 0
  return current.attempts.at(-1)?.exit !== undefined && current.restarts === 3
}

describe('a daemon that is asked to end', () => {
  test('ends its jobs, and the next one continues them', async ({ folder }) => {
    const host = await testSupervisor(folder)
    await host.deploy('one', { restartPolicy: 'onFailure' })
    const job = await host.jobs.next()
    writeFileSync(join(job.request.folder, 'root'), '')
    await host.supervisor.close()
    expect(job.request.signal.aborted).toBe(true)
    expect(recordIn(folder, 'one').current).toMatchObject({
      number: 1,
      attempts: [{ number: 1, exit: { reason: 'killed' }, interrupted: true }],
    })
    await using after = await testSupervisor(folder)
    const next = await after.jobs.next()
    expect(next.request).toMatchObject({ firstAttempt: 2, restarts: 0, folder: job.request.folder })
    expect(existsSync(join(next.request.folder, 'root'))).toBe(true)
  })

  test('does not continue a stopped deployment', async ({ folder }) => {
    const host = await testSupervisor(folder)
    await host.deploy('one')
    await host.supervisor.stop('one')
    await host.supervisor.close()
    await using after = await testSupervisor(folder)
    expect(after.supervisor.inspect('one').state).toBe('stopped')
    await after.supervisor.start('one')
    await after.jobs.next()
  })
})

describe('unfinished work is removed', () => {
  test('a deployment without its record, drafts, and folders that no record names', async ({
    folder,
  }) => {
    const host = await testSupervisor(folder)
    await host.deploy('one')
    await host.jobs.next()
    await host.supervisor.close()
    const deployments = join(folder, 'deployments')
    const stray = [
      'new-0123456789abcdef',
      nameOf('two'),
      join(nameOf('one'), 'executions', '99'),
      join(nameOf('one'), 'revisions', '7'),
    ].map((path) => join(deployments, path))
    for (const path of stray) mkdirSync(join(path, 'deep'), { recursive: true })
    await using after = await testSupervisor(folder)
    expect(stray.filter((path) => existsSync(path))).toEqual([])
    expect(after.supervisor.list()).toMatchObject([{ id: 'one' }])
  })

  test('a deployment that was being removed', async ({ folder }) => {
    const host = await testSupervisor(folder)
    await host.deploy('one')
    await host.supervisor.close()
    const record = { ...recordIn(folder, 'one'), wanted: 'removed' }
    writeFileSync(recordPath(folder, 'one'), JSON.stringify(record))
    await using after = await testSupervisor(folder)
    expect(after.supervisor.list()).toEqual([])
    expect(readdirSync(join(folder, 'deployments'))).toEqual([])
  })

  test('but no files that do not belong to a deployment', async ({ folder }) => {
    const runs = join(folder, 'deployments', 'run-1-2-ab')
    mkdirSync(runs, { recursive: true })
    await using host = await testSupervisor(folder)
    expect(existsSync(runs)).toBe(true)
    expect(host.supervisor.list()).toEqual([])
  })
})
