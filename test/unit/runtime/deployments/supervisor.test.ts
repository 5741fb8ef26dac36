/** The supervisor: an operator's commands, and the jobs of its deployments. */
import { once } from 'node:events'
import {
  existsSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect } from 'vitest'
import { findRecord } from '../../../../runtime/src/supervisor/record/find-record.ts'
import type { DeploymentRecord } from '../../../../runtime/src/supervisor/record/record.ts'
import { ImageError } from '../../../../images/src/index.ts'
import { StartError } from '../../../../runtime/src/errors/start-error.ts'
import { smallDisk, type SmallDisk } from '../../../support/audit-disk.ts'
import { test } from '../../../support/folder-fixture.ts'
import { exited, type ScriptedJob } from '../../../support/scripted-jobs.ts'
import {
  nameOf,
  reserveOf,
  testSupervisor,
  type TestSupervisor,
} from '../../../support/supervised-deployments.ts'
import { thrownBy } from '../../../support/thrown.ts'

const isRoot = process.getuid?.() === 0
const now = () => Date.now()
const infoLevel = 30

/** The job of a deployment `one`, once it is known to run. */
async function running(host: TestSupervisor): Promise<ScriptedJob> {
  await host.deploy('one')
  const job = await host.jobs.next()
  await host.reach('one', 'running')
  return job
}

describe('a deployment', () => {
  test('runs at once without a schedule, and its exit is kept', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { deployment: { environment: { SECRET: 'hush' } } })
    const job = await host.jobs.next()
    expect(job.request.firstAttempt).toBe(1)
    expect(job.request.loaded.deployment.environment).toEqual({ SECRET: 'hush' })
    expect(statSync(job.request.folder).mode & 0o777).toBe(0o700)
    await host.reach('one', 'running')
    expect(host.supervisor.inspect('one').current).toMatchObject({ number: 1, uid: 7 })
    job.print('hello\n')
    job.end(exited(3))
    await host.reach('one', 'ended')
    const detail = host.supervisor.inspect('one')
    expect(detail).toMatchObject({ executions: 1, exit: exited(3), environment: ['SECRET'] })
    expect(detail.current).toBeUndefined()
    expect(detail.history).toMatchObject([
      { number: 1, attempts: [{ number: 1, exit: exited(3) }] },
    ])
    expect(JSON.stringify(detail)).not.toContain('hush')
    expect(await host.logOf('one')).toEqual([
      'host: execution 1 starts',
      'host: job started: uid 7, nothing',
      'stdout: hello',
      'host: attempt 1 ended: exit code 3',
      'host: execution 1 ended: exit code 3',
    ])
    await expect.poll(() => existsSync(job.request.folder)).toBe(false)
  })

  test('no longer needs the operator’s files', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    const file = await host.deploy('one', { deployment: { keys: 'keys.json' } })
    const { loaded } = (await host.jobs.next()).request
    expect(loaded.bundle?.zipFile).toContain(nameOf('one'))
    expect(loaded.deployment).not.toHaveProperty('keys')
    expect(host.keyCalls).toEqual([`import one ${join(file, '../keys.json')}`])
    rmSync(join(file, '..'), { recursive: true })
    await host.supervisor.stop('one')
    await host.supervisor.start('one')
    expect((await host.jobs.next()).request.loaded.manifest).toEqual(loaded.manifest)
  })

  test('has files that other users cannot read', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    const own = join(host.deployments, nameOf('one'))
    const modes = (path: string) => statSync(join(own, path)).mode & 0o777
    expect(['.', 'executions'].map(modes)).toEqual([0o711, 0o711])
    expect(['revisions/1', 'logs'].map(modes)).toEqual([0o700, 0o700])
    const files = ['record.json', 'revisions/1/deployment.json', 'revisions/1/bundle.zip']
    expect(files.map(modes)).toEqual([0o600, 0o600, 0o600])
  })

  test('is restarted as its policy says, in the same folder', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { restartPolicy: 'onFailure' })
    const folders = new Set<string>()
    for (const code of [1, 2, 3, 4]) {
      const job = await host.jobs.next()
      folders.add(job.request.folder)
      job.end(exited(code))
    }
    await host.reach('one', 'ended')
    expect(folders.size).toBe(1)
    const [past] = host.supervisor.inspect('one').history!
    expect(past).toMatchObject({ restarts: 3, exit: exited(4) })
    expect(past).toHaveProperty(
      'attempts',
      [1, 2, 3, 4].map((number): unknown =>
        expect.objectContaining({ number, exit: exited(number) }),
      ),
    )
  })

  test('that cannot be started says why, and leaves no folder', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    host.jobs.failNext(new StartError('ENTRYPOINT_MISSING', 'no job here'))
    await host.deploy('one')
    await host.reach('one', 'ended')
    expect(host.supervisor.inspect('one').exit).toEqual({
      reason: 'start-failed',
      detail: 'ENTRYPOINT_MISSING: no job here',
    })
    const executions = join(host.deployments, nameOf('one'), 'executions')
    await expect.poll(() => readdirSync(executions)).toEqual([])
  })

  test('has a deadline from its duration and end time', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { deployment: { schedule: { duration: 60_000 } } })
    const { deadline } = (await host.jobs.next()).request
    expect(deadline! - now()).toBeGreaterThan(50_000)
    expect(deadline! - now()).toBeLessThanOrEqual(60_000)
  })
})

describe('a schedule', () => {
  test('runs one execution after the other, each in its own folder', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { deployment: { schedule: { interval: 50 } } })
    const folders = new Set<string>()
    for (let count = 0; count < 3; count++) {
      const job = await host.jobs.next()
      folders.add(job.request.folder)
      job.end(exited(0))
    }
    expect(folders.size).toBe(3)
  })

  test('waits for a start time in the future', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    const startTime = now() + 100 * 365 * 24 * 3_600_000
    await host.deploy('one', { deployment: { schedule: { startTime } } })
    expect(host.supervisor.inspect('one')).toMatchObject({
      state: 'scheduled',
      nextStart: startTime,
      executions: 0,
    })
    expect(host.jobs.begun).toBe(0)
  })

  test('that lies in the past is reported as missed, in one line', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    const day = 24 * 3_600_000
    const startTime = now() - 99.5 * day
    await host.deploy('one', { deployment: { schedule: { startTime, interval: day } } })
    await host.reach('one', 'scheduled')
    await expect.poll(() => host.supervisor.inspect('one').missed).toBe(100)
    const { history, nextStart } = host.supervisor.inspect('one')
    expect(history).toMatchObject([{ kind: 'missed', count: 100, firstDue: startTime }])
    expect(nextStart).toBeGreaterThan(now())
    await expect
      .poll(() => host.logOf('one'))
      .toEqual([expect.stringContaining('host: missed 100 executions, due ')])
  })

  test('does not wait for a long execution: the next ones are missed', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { deployment: { schedule: { interval: 40, maxStartDelay: 1 } } })
    const job = await host.jobs.next()
    await expect.poll(() => host.supervisor.inspect('one').missed).toBeGreaterThan(3)
    expect(host.jobs.begun).toBe(1)
    const { history } = host.supervisor.inspect('one')
    expect(history).toHaveLength(1)
    job.end(exited(0))
    expect((await host.jobs.next()).request.folder).not.toBe(job.request.folder)
  })
})

describe('the operator', () => {
  test('stops and starts a deployment', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    const job = await host.jobs.next()
    const stopped = await host.supervisor.stop('one', 123)
    expect(job.request.graceMs()).toBe(123)
    expect(stopped).toMatchObject({
      state: 'stopped',
      exit: { reason: 'killed', detail: 'stopped by the host' },
    })
    expect(await host.supervisor.stop('one')).toMatchObject({ state: 'stopped' })
    await host.supervisor.start('one')
    expect((await host.jobs.next()).request.firstAttempt).toBe(1)
    expect(host.supervisor.inspect('one').executions).toBe(2)
  })

  test('starts an ended deployment again', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    ;(await host.jobs.next()).end(exited(0))
    await host.reach('one', 'ended')
    await host.supervisor.start('one')
    ;(await host.jobs.next()).end(exited(1))
    await host.reach('one', 'ended')
    expect(host.supervisor.inspect('one').history).toMatchObject([
      { number: 2, exit: exited(1) },
      { number: 1, exit: exited(0) },
    ])
  })

  test('cannot deploy the same id twice, but can replace it', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { files: { old: 'x' } })
    const old = await host.jobs.next()
    const again = await thrownBy(() => host.deploy('one'))
    expect(again).toMatchObject({ kind: 'DEPLOYMENT_EXISTS' })
    expect((again as Error).message).toContain('--replace')
    expect(host.jobs.begun).toBe(1)
    await host.deploy('one', { replace: true, restartPolicy: 'always' })
    const fresh = await host.jobs.next()
    expect(old.request.signal.aborted).toBe(true)
    expect(fresh.request.loaded.manifest?.restartPolicy).toBe('always')
    expect(host.supervisor.inspect('one')).toMatchObject({
      executions: 2,
      history: [{ number: 1, exit: { reason: 'killed' } }],
    })
    expect((await host.logOf('one'))[0]).toBe('host: execution 1 starts')
    expect(readdirSync(join(host.deployments, nameOf('one'), 'revisions'))).toEqual(['2'])
    expect(readdirSync(host.deployments)).toEqual([nameOf('one')])
  })

  test('gets an error before anything is stored', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    const schedule = { interval: 1, duration: 2 }
    expect(await thrownBy(() => host.deploy('one', { deployment: { schedule } }))).toMatchObject({
      kind: 'SCHEDULE_INVALID',
    })
    expect(
      await thrownBy(() => host.deploy('one', { files: { 'manifest.json': '{}' } })),
    ).toHaveProperty('name', 'DocumentError')
    const nothing = { file: join(folder, 'nothing.json'), replace: false, allowLocalImages: false }
    expect(await thrownBy(() => host.supervisor.deploy(nothing))).toMatchObject({
      kind: 'INPUT_UNREADABLE',
    })
    expect(readdirSync(host.deployments)).toEqual([])
    expect(host.supervisor.list()).toEqual([])
  })

  test('removes an idle deployment, and a running one by force', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    const job = await host.jobs.next()
    const gently = { force: false, forgetKeys: false }
    expect(await thrownBy(() => host.supervisor.remove('one', gently))).toMatchObject({
      kind: 'DEPLOYMENT_BUSY',
      message: expect.stringContaining('deployment one is '),
    })
    await host.supervisor.remove('one', { force: true, forgetKeys: false })
    expect(job.request.signal.aborted).toBe(true)
    expect(readdirSync(host.deployments)).toEqual([])
    expect(host.keyCalls).toEqual(['import one undefined'])
    await host.deploy('one')
    await host.supervisor.stop('one')
    await host.supervisor.remove('one', { force: false, forgetKeys: true })
    expect(host.keyCalls.at(-1)).toBe('forget one')
    expect(await thrownBy(() => host.supervisor.inspect('one'))).toMatchObject({
      kind: 'DEPLOYMENT_UNKNOWN',
    })
  })

  test('names a deployment by its id or the beginning of its name', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    for (const id of ['one', 'two', 'three']) await host.deploy(id)
    const inspect = (reference: string) => host.supervisor.inspect(reference)
    expect(inspect(nameOf('two').slice(0, 12)).id).toBe('two')
    expect(inspect(nameOf('two')).id).toBe('two')
    for (const reference of ['', 'on', 'x']) {
      expect(await thrownBy(() => inspect(reference)), reference).toMatchObject({
        kind: 'DEPLOYMENT_UNKNOWN',
      })
    }
  })

  test('is found without a supervisor, by its id or the beginning of its name', async ({
    folder,
  }) => {
    await using host = await testSupervisor(folder)
    for (const id of ['one', 'two', 'damaged']) await host.deploy(id)
    const damaged = join(host.deployments, nameOf('damaged'), 'record.json')
    writeFileSync(damaged, '')
    const find = (reference: string) => findRecord(host.deployments, reference)
    expect([find('two').id, find(nameOf('two').slice(0, 12)).id]).toEqual(['two', 'two'])
    for (const [reference, kind] of [
      ['on', 'DEPLOYMENT_UNKNOWN'],
      ['', 'DEPLOYMENT_UNKNOWN'],
      [nameOf('damaged'), 'RECORD_DAMAGED'],
    ] as const)
      expect(await thrownBy(() => find(reference)), reference).toMatchObject({ kind })
    const nowhere = join(folder, 'none')
    expect(await thrownBy(() => findRecord(nowhere, 'one'))).toMatchObject({
      kind: 'DEPLOYMENT_UNKNOWN',
    })
    expect(existsSync(nowhere)).toBe(false)
  })

  test('follows a log until no more entries will come', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one', { restartPolicy: 'onFailure' })
    const first = await host.jobs.next()
    const { output, isAtRest } = host.supervisor.watch('one')
    const texts: unknown[] = []
    const followed = (async () => {
      const query = { follow: () => !isAtRest(), streams: new Set(['stdout', 'host'] as const) }
      for await (const lines of output.read(query, new AbortController().signal)) {
        texts.push(...lines.map((line) => (JSON.parse(line) as { text: string }).text))
      }
    })()
    first.print('before\n')
    first.end(exited(1))
    const second = await host.jobs.next()
    second.print('after\n')
    second.end(exited(0))
    await followed
    expect(texts).toContain('before')
    expect(texts).toContain('after')
    expect(texts.at(-1)).toBe('execution 1 ended: exit code 0')
  })
})

describe('at the same time', () => {
  /** A deployment that is being replaced and has not ended yet. */
  async function replacing(host: TestSupervisor) {
    await host.deploy('one')
    const old = await host.jobs.next()
    old.resist()
    const deployed = host.deploy('one', { replace: true, restartPolicy: 'always' })
    await once(old.request.signal, 'abort')
    return { old, deployed }
  }

  test('replace and stop: the new deployment is stopped, and stays so', async ({ folder }) => {
    {
      await using host = await testSupervisor(folder)
      const { old, deployed } = await replacing(host)
      const stopped = host.supervisor.stop('one')
      old.end(exited(0))
      await deployed
      expect(await stopped).toMatchObject({ state: 'stopped', restartPolicy: 'always' })
      expect(host.supervisor.inspect('one')).toMatchObject({ state: 'stopped' })
    }
    await using host = await testSupervisor(folder)
    const found = host.supervisor.inspect('one')
    expect(found).toMatchObject({ state: 'stopped', restartPolicy: 'always' })
    expect(readdirSync(join(host.deployments, nameOf('one'), 'revisions'))).toEqual(['2'])
  })

  test('replace, stop and remove: nothing is left', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    const { old, deployed } = await replacing(host)
    const stopped = host.supervisor.stop('one')
    const removed = host.supervisor.remove('one', { force: true, forgetKeys: false })
    old.end(exited(0))
    await Promise.all([deployed, stopped, removed])
    expect(host.supervisor.list()).toEqual([])
    expect(readdirSync(host.deployments)).toEqual([])
  })

  test('stop and the daemon’s end: other jobs do not wait for the stopped one', async ({
    folder,
  }) => {
    await using host = await testSupervisor(folder)
    await host.deploy('one')
    const one = await host.jobs.next()
    one.resist()
    await host.deploy('two')
    const two = await host.jobs.next()
    const stopped = host.supervisor.stop('one')
    await once(one.request.signal, 'abort')
    const closed = host.supervisor.close()
    if (!two.request.signal.aborted) await once(two.request.signal, 'abort')
    const late = thrownBy(() => host.supervisor.stop('two'))
    one.end(exited(0))
    expect(await stopped).toMatchObject({ state: 'stopped' })
    expect(await late).toMatchObject({ kind: 'DAEMON_UNREACHABLE' })
    await closed
  })
})

// From no delay to longer than a replacement takes here.
const delaysMs = [0, 1, 2, 4, 6, 8, 10, 12, 14, 17, 20]

describe('the daemon’s end', () => {
  test.for(delaysMs)('%s ms after a replace began loses no execution', async (ms, { folder }) => {
    const host = await testSupervisor(folder)
    await host.deploy('one')
    await host.jobs.next()
    await host.reach('one', 'running')
    const replaced = host.deploy('one', { replace: true }).catch(() => {}) // refused when it comes too late
    await pause(ms)
    await host.supervisor.close()
    await replaced
    const { current, history } = recordOf(host)
    const ended = history.flatMap((past) => (past.kind === 'ended' ? [past.number] : []))
    expect([...ended, current?.number]).toContain(1)
  })

  test.for([0, 1, 2])(
    '%s ms after a stop began drops the stop only with an error',
    async (ms, { folder }) => {
      const host = await testSupervisor(folder)
      await host.deploy('one', { deployment: { schedule: { startTime: now() + 1e9 } } })
      const stopped = host.supervisor.stop('one').then(
        () => true,
        () => false,
      )
      await pause(ms)
      await host.supervisor.close()
      expect(recordOf(host).wanted).toBe((await stopped) ? 'stopped' : 'running')
    },
  )

  function recordOf({ deployments }: TestSupervisor): DeploymentRecord {
    const path = join(deployments, nameOf('one'), 'record.json')
    return JSON.parse(readFileSync(path, 'utf8')) as DeploymentRecord
  }
})

describe('a cause that the operator can take away', () => {
  const refused = new ImageError('IMAGE_URL_REFUSED', 'image url file:///i refused')

  test.for([refused, new StartError('SANDBOX_UNAVAILABLE', 'no PRoot')])(
    'does not end an execution: %s',
    async (error, { folder }) => {
      await using host = await testSupervisor(folder, { firstMs: 1, longestMs: 4 })
      host.jobs.failNext(error, 5)
      await host.deploy('one')
      ;(await host.jobs.next()).end(exited(0))
      await host.reach('one', 'ended')
      expect(host.supervisor.inspect('one')).toMatchObject({ executions: 1, exit: exited(0) })
    },
  )

  test('ends no deployment that ran before a restart with other flags', async ({ folder }) => {
    const late = { firstMs: 60_000, longestMs: 60_000 }
    {
      await using host = await testSupervisor(folder)
      await running(host)
    }
    {
      await using host = await testSupervisor(folder, late)
      host.jobs.failNext(refused)
      const waiting = { state: 'preparing', waiting: `IMAGE_URL_REFUSED: ${refused.message}` }
      await expect.poll(() => host.supervisor.list()).toMatchObject([waiting])
    }
    await using host = await testSupervisor(folder, late)
    expect((await host.jobs.next()).request.firstAttempt).toBe(2)
  })
})

describe('a fault of the host that passes', () => {
  const full = Object.assign(new Error('ENOSPC: no space left on device, write'), {
    code: 'ENOSPC',
  })
  const soon = { firstMs: 1, longestMs: 4 }
  const late = { firstMs: 60_000, longestMs: 60_000 }

  test('does not end an execution: it is tried again until it starts', async ({ folder }) => {
    await using host = await testSupervisor(folder, soon)
    host.jobs.failNext(full, 5)
    await host.deploy('one', { deployment: { schedule: { duration: 60_000 } } })
    const job = await host.jobs.next()
    expect(job.request.firstAttempt).toBe(1)
    await host.reach('one', 'running')
    const detail = host.supervisor.inspect('one')
    expect(detail).not.toHaveProperty('waiting')
    // The time that it waited is not the job's.
    expect(job.request.deadline).toBe(detail.current!.startedAt + 60_000)
    job.end(exited(0))
    await host.reach('one', 'ended')
    expect(host.supervisor.inspect('one').exit).toEqual(exited(0))
    expect(await host.logOf('one')).toContain(
      `host: execution 1 waits for the host, and is tried again: ${full.message}`,
    )
  })

  test('is shown while it lasts, and the operator can stop it', async ({ folder }) => {
    await using host = await testSupervisor(folder, late)
    host.jobs.failNext(new StartError('DISK_FULL', 'the disk is full'))
    await host.deploy('one')
    const shown = { state: 'preparing', waiting: 'DISK_FULL: the disk is full' }
    await expect.poll(() => host.supervisor.list()).toMatchObject([shown])
    expect(await host.supervisor.stop('one')).toMatchObject({
      state: 'stopped',
      exit: { reason: 'killed', detail: 'stopped by the operator' },
    })
    expect(host.supervisor.inspect('one')).not.toHaveProperty('waiting')
  })

  test('after the root is mounted uses up a number, but no restart', async ({ folder }) => {
    await using host = await testSupervisor(folder, soon)
    await host.deploy('one')
    const detail = 'bridge-launch: seccomp: Unknown error 524'
    ;(await host.jobs.next()).end({ reason: 'start-failed', detail })
    const second = await host.jobs.next()
    expect(second.request).toMatchObject({ firstAttempt: 2, restarts: 0 })
    await host.reach('one', 'running')
    expect(host.supervisor.inspect('one').current).toMatchObject({
      restarts: 0,
      attempts: [{ number: 1, interrupted: true }, { number: 2 }],
    })
  })

  test('ends an execution that others follow once it is too late', async ({ folder }) => {
    await using host = await testSupervisor(folder, soon)
    host.jobs.failNext(full, Infinity)
    const schedule = { interval: 3_600_000, maxStartDelay: 30 }
    await host.deploy('one', { deployment: { schedule } })
    await expect
      .poll(() => host.supervisor.inspect('one'))
      .toMatchObject({
        state: 'scheduled',
        executions: 1,
        exit: { reason: 'start-failed', detail: full.message },
      })
  })

  test('is waited for by the next daemon, too', async ({ folder }) => {
    {
      await using host = await testSupervisor(folder, late)
      host.jobs.failNext(full)
      await host.deploy('one')
      await expect.poll(() => host.supervisor.inspect('one').waiting).toBe(full.message)
    }
    await using host = await testSupervisor(folder, soon)
    expect((await host.jobs.next()).request.firstAttempt).toBe(1)
    expect(host.supervisor.inspect('one').executions).toBe(1)
  })
})

describe('a full disk', () => {
  // Only root can mount a small one.
  const onSmallDisk = test.skipIf(!isRoot)

  /** Fills the disk, and uses up the reserve for records. */
  function fillWholly(disk: SmallDisk): void {
    truncateSync(reserveOf(disk.path))
    disk.fill()
  }

  onSmallDisk('has space again when the job that filled it has ended', async ({ folder }) => {
    using disk = smallDisk(folder, 1 << 20)
    await using host = await testSupervisor(disk.path)
    const job = await running(host)
    fillWholly(disk)
    renameSync(join(disk.path, 'filling'), join(job.request.folder, 'written'))
    job.end(exited(3))
    await host.reach('one', 'ended')
    expect(host.supervisor.inspect('one')).toMatchObject({ executions: 1, exit: exited(3) })
    await expect.poll(() => readdirSync(join(job.request.folder, '..'))).toEqual([])
  })

  onSmallDisk('lets a job restart in its root', async ({ folder }) => {
    using disk = smallDisk(folder, 1 << 20)
    await using host = await testSupervisor(disk.path)
    await host.deploy('one', { restartPolicy: 'onFailure' })
    const job = await host.jobs.next()
    await host.reach('one', 'running')
    disk.fill()
    const written = join(job.request.folder, 'written')
    renameSync(join(disk.path, 'filling'), written)
    job.end(exited(3))
    const next = await host.jobs.next()
    await expect
      .poll(() => host.supervisor.inspect('one').current)
      .toMatchObject({ restarts: 1, attempts: [{ exit: exited(3) }, { number: 2 }] })
    expect(existsSync(written)).toBe(true)
    next.end(exited(0))
    await host.reach('one', 'ended')
    expect(host.log.lines.filter(({ level }) => Number(level) > infoLevel)).toEqual([])
  })

  onSmallDisk('has space for the end of a job when another is stopped', async ({ folder }) => {
    using disk = smallDisk(folder, 1 << 20)
    await using host = await testSupervisor(disk.path)
    await host.deploy('one')
    await host.deploy('two')
    const [one, two] = [await host.jobs.next(), await host.jobs.next()]
    await host.reach('one', 'running')
    await host.reach('two', 'running')
    fillWholly(disk)
    renameSync(join(disk.path, 'filling'), join(two.request.folder, 'written'))
    one.end(exited(0))
    // Its own end frees the space.
    expect(await host.supervisor.stop('two')).toMatchObject({ state: 'stopped' })
    await host.reach('one', 'ended')
  })

  onSmallDisk(
    'without any space: a stop ends the job, and reports the unsaved record',
    async ({ folder }) => {
      using disk = smallDisk(folder, 1 << 20)
      await using host = await testSupervisor(disk.path)
      const job = await running(host)
      fillWholly(disk)
      expect(await thrownBy(() => host.supervisor.stop('one'))).toMatchObject({
        kind: 'RECORD_UNSAVED',
        message: expect.stringContaining('ENOSPC') as string,
      })
      expect(job.request.signal.aborted).toBe(true)
      expect(host.supervisor.inspect('one').state).toBe('running')
      disk.free()
      await host.reach('one', 'stopped')
      expect(await host.supervisor.stop('one')).toMatchObject({ state: 'stopped' })
    },
  )

  onSmallDisk(
    'keeps the root of an execution that the next daemon continues',
    async ({ folder }) => {
      using disk = smallDisk(folder, 1 << 20)
      let written: string
      {
        await using host = await testSupervisor(disk.path)
        await host.deploy('one')
        const { request } = await host.jobs.next()
        await host.reach('one', 'running')
        disk.fill()
        written = join(request.folder, 'written')
        renameSync(join(disk.path, 'filling'), written)
      }
      await using host = await testSupervisor(disk.path)
      const { request } = await host.jobs.next()
      expect(existsSync(written)).toBe(true)
      expect([request.folder, request.firstAttempt]).toEqual([join(written, '..'), 2])
    },
  )

  onSmallDisk('does not prevent a removal by force', async ({ folder }) => {
    using disk = smallDisk(folder, 1 << 20)
    await using host = await testSupervisor(disk.path)
    await host.deploy('one')
    const job = await host.jobs.next()
    job.resist()
    await host.reach('one', 'running')
    fillWholly(disk)
    const stopped = host.supervisor.stop('one')
    await expect
      .poll(() => host.log.lines.map(({ msg }) => msg))
      .toContain('the record cannot be saved')
    const removed = host.supervisor.remove('one', { force: true, forgetKeys: false })
    job.end(exited(0))
    await Promise.all([removed, stopped.catch(() => {})]) // it may report that the record cannot be saved
    expect(host.supervisor.list()).toEqual([])
    expect(readdirSync(host.deployments)).toEqual([])
  })
})

test('the daemon’s log has a line for each command, start, restart, exit and refusal', async ({
  folder,
}) => {
  await using host = await testSupervisor(folder)
  const file = await host.deploy('one', { restartPolicy: 'onFailure' })
  const first = await host.jobs.next()
  first.end(exited(3))
  const second = await host.jobs.next()
  second.end(exited(0))
  await host.reach('one', 'ended')
  host.jobs.failNext(new StartError('ENTRYPOINT_MISSING', 'no job.sh'))
  await host.supervisor.start('one')
  await host.reach('one', 'ended')
  await host.supervisor.stop('one')
  const again = { file, replace: false, allowLocalImages: false }
  await thrownBy(() => host.supervisor.deploy(again))
  await thrownBy(() => host.supervisor.stop('none'))
  await host.supervisor.remove('one', { force: false, forgetKeys: false })
  const name = nameOf('one')
  const one = { deployment: 'one' }
  const job = { ...one, execution: 1 }
  const info = { level: infoLevel }
  expect(host.log.lines).toEqual([
    { ...info, ...one, name, revision: 1, file, msg: 'deployed' },
    { ...info, ...job, attempt: 1, uid: 7, msg: 'job started' },
    { ...info, ...job, attempt: 2, delayMs: 0, reason: 'exit code 3', msg: 'job starts again' },
    { ...info, ...job, attempt: 2, uid: 7, msg: 'job started' },
    { ...info, ...job, reason: 'exit code 0', msg: 'job ended' },
    { ...info, ...one, name, msg: 'started by the operator' },
    {
      level: 40,
      ...one,
      execution: 2,
      reason: 'ENTRYPOINT_MISSING: no job.sh',
      msg: 'execution not started',
    },
    { ...info, ...one, name, msg: 'stopped by the operator' },
    {
      ...info,
      ...one,
      command: 'deploy',
      file,
      reason: expect.stringContaining('DEPLOYMENT_EXISTS: ') as string,
      msg: 'command refused',
    },
    {
      ...info,
      command: 'stop',
      deployment: 'none',
      reason: expect.stringContaining('DEPLOYMENT_UNKNOWN: none: ') as string,
      msg: 'command refused',
    },
    { ...info, ...one, name, msg: 'removed by the operator' },
  ])
})

describe('many', () => {
  test('run side by side', async ({ folder }) => {
    await using host = await testSupervisor(folder)
    const ids = Array.from({ length: 20 }, (_, index) => `job-${index}`)
    await Promise.all(ids.map((id) => host.deploy(id)))
    const jobs = await Promise.all(ids.map(() => host.jobs.next()))
    expect(new Set(jobs.map(({ request }) => request.folder)).size).toBe(20)
    for (const job of jobs) job.end(exited(0))
    await Promise.all(ids.map((id) => host.reach(id, 'ended')))
  })

  test('simultaneous deploys of the same id: one succeeds, the others are refused', async ({
    folder,
  }) => {
    await using host = await testSupervisor(folder)
    const file = await host.deploy('one')
    await host.supervisor.remove('one', { force: true, forgetKeys: false })
    const request = { file, replace: false, allowLocalImages: false }
    const results = await Promise.allSettled([1, 2, 3].map(() => host.supervisor.deploy(request)))
    expect(results.map(({ status }) => status).sort()).toEqual([
      'fulfilled',
      'rejected',
      'rejected',
    ])
    expect(readdirSync(host.deployments)).toEqual([nameOf('one')])
  })
})

describe('a damaged deployment', () => {
  test.for([
    { content: '', what: 'expected JSON' },
    { content: '{"format":1', what: 'expected JSON' },
    { content: '{"format":0}', what: 'format' },
    { content: '[]', what: 'format' },
  ])(
    '$content: is reported, and the others run',
    async ({ content, what }, { folder }: { folder: string }) => {
      {
        await using host = await testSupervisor(folder)
        await host.deploy('one')
        await host.deploy('two')
        await host.jobs.next()
        await host.jobs.next()
      }
      const record = join(folder, 'deployments', nameOf('one'), 'record.json')
      writeFileSync(record, content)
      await using host = await testSupervisor(folder)
      const byName = host.supervisor.list().find(({ name }) => name === nameOf('one'))
      expect(byName).toMatchObject({
        id: 'one',
        state: 'damaged',
        error: expect.stringContaining(record),
      })
      expect(host.supervisor.inspect('one')).toEqual(byName)
      expect(byName?.error).toContain(what)
      expect((await host.jobs.next()).request.loaded.deployment.id).toBe('two')
      const refused = await thrownBy(() => host.supervisor.stop(nameOf('one')))
      expect(refused).toMatchObject({ kind: 'RECORD_DAMAGED' })
      expect(readFileSync(record, 'utf8')).toBe(content)
      await host.supervisor.remove(nameOf('one'), { force: true, forgetKeys: false })
      expect(readdirSync(host.deployments)).toEqual([nameOf('two')])
    },
  )

  test('keeps its log when its record is gone', async ({ folder }) => {
    {
      await using host = await testSupervisor(folder)
      await host.deploy('one')
      await host.jobs.next()
    }
    const own = join(folder, 'deployments', nameOf('one'))
    rmSync(join(own, 'record.json'))
    await using host = await testSupervisor(folder)
    expect(host.supervisor.list()).toMatchObject([
      { id: 'one', state: 'damaged', error: expect.stringContaining(join(own, 'record.json')) },
    ])
    expect(readdirSync(join(own, 'logs'))).not.toEqual([])
    await host.supervisor.remove('one', { force: true, forgetKeys: false })
    expect(readdirSync(host.deployments)).toEqual([])
  })

  test('that an earlier version made has the id of its record', async ({ folder }) => {
    {
      await using host = await testSupervisor(folder)
      await host.deploy('one')
      await host.jobs.next()
    }
    const own = join(folder, 'deployments', nameOf('one'))
    rmSync(join(own, 'identity.json'))
    truncateSync(join(own, 'record.json'), 200)
    await using host = await testSupervisor(folder)
    expect(host.supervisor.list()).toMatchObject([{ id: 'one', state: 'damaged' }])
  })

  test('is told by the stored file, not by the operator’s', async ({ folder }) => {
    {
      await using host = await testSupervisor(folder)
      await host.deploy('one')
      await host.jobs.next()
    }
    const stored = join(folder, 'deployments', nameOf('one'), 'revisions/1/deployment.json')
    truncateSync(stored, 1)
    await using host = await testSupervisor(folder)
    expect(host.supervisor.inspect('one').error).toContain(`${stored}:`)
  })

  test('is reported when its bundle is missing, too', async ({ folder }) => {
    {
      await using host = await testSupervisor(folder)
      await host.deploy('one')
      await host.jobs.next()
    }
    rmSync(join(folder, 'deployments', nameOf('one'), 'revisions/1/bundle.zip'))
    await using host = await testSupervisor(folder)
    expect(host.supervisor.list()).toMatchObject([{ state: 'damaged' }])
  })
})
