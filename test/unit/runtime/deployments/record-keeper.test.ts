/**
 * The record on disk: whole at every moment, and on a disk that is full for a while.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { keepRecord } from '../../../../runtime/src/deployments/record-keeper.ts'
import { readRecord, type DeploymentRecord } from '../../../../runtime/src/deployments/record.ts'
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

describe('a record', () => {
  test('shows a change when it is on disk, not before', async ({ folder }) => {
    const path = join(folder, 'record.json')
    const keeper = keepRecord(path, record, recordingLog().log)
    const saved = keeper.change(count(1))
    expect([keeper.latest.executions, keeper.saved.executions]).toEqual([1, 0])
    await saved
    expect(keeper.saved).toEqual({ ...record, executions: 1 })
    expect(readRecord(path)).toEqual(keeper.saved)
    expect(readdirSync(folder)).toEqual(['record.json'])
  })

  test('has every change of many at once', async ({ folder }) => {
    const path = join(folder, 'record.json')
    const keeper = keepRecord(path, record, recordingLog().log)
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

  test('is none where nothing is', ({ folder }) => {
    expect(readRecord(join(folder, 'record.json'))).toBeUndefined()
  })

  test.skipIf(!isRoot)(
    'stays whole on a full disk and is saved when there is room (only root can mount one)',
    async ({ folder }) => {
      using disk = smallDisk(folder, 64 * 1024)
      const path = join(disk.path, 'record.json')
      const recorded = recordingLog()
      const keeper = keepRecord(path, record, recorded.log)
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

  test.skipIf(!isRoot)('is given up at the end, and says so', async ({ folder }) => {
    using disk = smallDisk(folder, 64 * 1024)
    const recorded = recordingLog()
    const keeper = keepRecord(join(disk.path, 'record.json'), record, recorded.log)
    await keeper.change(count(1))
    disk.fill()
    const changed = keeper.change(count(2))
    keeper.hurry()
    await changed
    await keeper.change(count(3))
    expect(recorded.lines.at(-1)).toMatchObject({ msg: 'the disk does not take the record' })
    expect(keeper.saved.executions).toBe(1)
  })
})
