/** The record on disk: intact at every moment, and on a disk that is full for a while. */
import { readdirSync, readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  keepRecord,
  recordRetryMs,
} from '../../../../runtime/src/supervisor/record/record-keeper.ts'
import {
  readRecord,
  type DeploymentRecord,
} from '../../../../runtime/src/supervisor/record/record.ts'
import { smallDisk } from '../../../support/audit-disk.ts'
import { test } from '../../../support/folder-fixture.ts'
import { recordingLog } from '../../../support/recording-log.ts'

const isRoot = process.getuid?.() === 0
const record: DeploymentRecord = {
  format: 1,
  name: '0'.repeat(32),
  id: 'one',
  origin: { kind: 'Test', source: 'ab' },
  file: '/somewhere/deployment.json',
  revision: 1,
  cid: 'b',
  allowLocalImages: false,
  deployedAt: 1,
  wanted: 'running',
  plan: { start: 1, next: 0 },
  executions: 0,
  missed: 0,
  history: [],
}
const count = (executions: number) => (from: DeploymentRecord) => ({ ...from, executions })
const noReserve = { write: (work: () => Promise<void>) => work() }

const keeperOf = (path: string, { log } = recordingLog()) =>
  keepRecord({ path, record, reserve: noReserve, log, retryMs: 50 })

describe('a record', () => {
  test('shows a change once it is on disk, not before', async ({ folder }) => {
    const path = join(folder, 'record.json')
    const keeper = keeperOf(path)
    const saved = keeper.change(count(1))
    expect([keeper.latest.executions, keeper.saved.executions]).toEqual([1, 0])
    await saved
    expect(keeper.saved).toEqual({ ...record, executions: 1 })
    expect(readRecord(path)).toEqual(keeper.saved)
    expect(readdirSync(folder)).toEqual(['record.json'])
  })

  test('contains every one of many simultaneous changes', async ({ folder }) => {
    const path = join(folder, 'record.json')
    const keeper = keeperOf(path)
    const changes = Array.from({ length: 200 }, async (_, index) => {
      await keeper.change(({ missed, ...from }) => ({ ...from, missed: missed + 1 }))
      expect(readRecord(path)?.missed).toBeGreaterThan(index)
    })
    await Promise.all(changes)
    expect(readRecord(path)?.missed).toBe(200)
    for (let index = 0; index < 20; index++) {
      await keeper.change(count(index))
      expect(readRecord(path)?.executions).toBe(index)
    }
  })

  test('ignores changes after its close: the file may be another keeper’s', async ({ folder }) => {
    const path = join(folder, 'record.json')
    const keeper = keeperOf(path)
    const last = keeper.change(count(1))
    await keeper.close()
    expect(readRecord(path)?.executions).toBe(1)
    await last
    rmSync(path)
    await keeper.change(count(2))
    expect(keeper.latest.executions).toBe(1)
    expect(readdirSync(folder)).toEqual([])
  })

  test('is tried again every second', () => {
    expect(recordRetryMs).toBe(1000)
  })

  test('is undefined when there is no file', ({ folder }) => {
    expect(readRecord(join(folder, 'record.json'))).toBeUndefined()
  })

  test.skipIf(!isRoot)(
    'stays intact on a full disk and is saved when there is space (only root can mount one)',
    async ({ folder }) => {
      using disk = smallDisk(folder, 64 * 1024)
      const path = join(disk.path, 'record.json')
      const recorded = recordingLog()
      const keeper = keeperOf(path, recorded)
      await keeper.change(count(1))
      disk.fill()
      const saved = keeper.change(count(2))
      await expect.poll(() => recorded.lines.length).toBeGreaterThan(0)
      expect(keeper.saved.executions).toBe(1)
      expect(readFileSync(path, 'utf8')).toContain('"executions": 1')
      disk.free()
      await saved
      expect(readRecord(path)?.executions).toBe(2)
    },
  )

  test.skipIf(!isRoot)(
    'is no longer retried at the end, and the failure is logged',
    async ({ folder }) => {
      using disk = smallDisk(folder, 64 * 1024)
      const recorded = recordingLog()
      const keeper = keeperOf(join(disk.path, 'record.json'), recorded)
      await keeper.change(count(1))
      disk.fill()
      const changed = keeper.change(count(2))
      keeper.stopRetrying()
      await changed
      await keeper.change(count(3))
      // Logged once, however many attempts fail.
      expect(recorded.lines).toMatchObject([{ msg: 'the record cannot be saved' }])
      expect(keeper.saved.executions).toBe(1)
    },
  )

  test.skipIf(!isRoot)('uses the space that is offered', async ({ folder }) => {
    using disk = smallDisk(folder, 64 * 1024)
    const recorded = recordingLog()
    const path = join(disk.path, 'record.json')
    const keeper = keeperOf(path, recorded)
    disk.fill()
    keeper.offerSpace(() => Promise.resolve(disk.free()))
    await keeper.change(count(1))
    expect(readRecord(path)?.executions).toBe(1)
    expect(recorded.lines).toEqual([])
  })

  test.skipIf(!isRoot)('reports every refused write', async ({ folder }) => {
    using disk = smallDisk(folder, 64 * 1024)
    const keeper = keeperOf(join(disk.path, 'record.json'))
    const { signal } = new AbortController()
    disk.fill()
    const saved = keeper.change(count(1))
    expect(await keeper.refused(signal)).toMatchObject({ code: 'ENOSPC' })
    expect(await keeper.refused(signal)).toMatchObject({ code: 'ENOSPC' })
    disk.free()
    await saved
  })
})
