/** Reserved space for records on a full disk. */
import { statSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  openRecordReserve,
  reserveBytes,
} from '../../../../runtime/src/supervisor/record/record-reserve.ts'
import { smallDisk } from '../../../support/audit-disk.ts'
import { test } from '../../../support/folder-fixture.ts'

const isRoot = process.getuid?.() === 0
const full = Object.assign(new Error('full'), { code: 'ENOSPC' })

describe('a reserve', () => {
  test('really occupies the disk, and is reused', async ({ folder }) => {
    const path = join(folder, 'reserve')
    await openRecordReserve(path)
    const { size, blocks, ino, mode } = statSync(path)
    expect([size, mode & 0o777]).toEqual([reserveBytes, 0o600])
    expect(blocks * 512).toBeGreaterThanOrEqual(reserveBytes)
    truncateSync(path, 5)
    await openRecordReserve(path)
    expect(statSync(path)).toMatchObject({ size: reserveBytes, ino })
  })

  test('may fail to be created: writes go on', async ({ folder }) => {
    const reserve = await openRecordReserve(join(folder, 'nowhere', 'reserve'))
    let count = 0
    await reserve.write(() => Promise.resolve(void count++))
    expect(count).toBe(1)
  })

  test('does not retry other failures', async ({ folder }) => {
    const reserve = await openRecordReserve(join(folder, 'reserve'))
    let count = 0
    const failing = () => (count++, Promise.reject(new Error('torn')))
    await expect(reserve.write(failing)).rejects.toThrow('torn')
    expect(count).toBe(1)
  })

  test('is complete again after a write that failed twice', async ({ folder }) => {
    const path = join(folder, 'reserve')
    const reserve = await openRecordReserve(path)
    const sizes: number[] = []
    const failing = () => (sizes.push(statSync(path).size), Promise.reject(full))
    await expect(reserve.write(failing)).rejects.toBe(full)
    expect([...sizes, statSync(path).size]).toEqual([reserveBytes, 0, reserveBytes])
  })

  test('serves one write after the other', async ({ folder }) => {
    const path = join(folder, 'reserve')
    const reserve = await openRecordReserve(path)
    const tries = new Set<number>()
    let [inside, most] = [0, 0]
    const write = (index: number) => async () => {
      if (!tries.has(index)) {
        tries.add(index)
        throw full
      }
      most = Math.max(most, ++inside)
      expect(statSync(path).size).toBe(0)
      await new Promise((resolve) => setImmediate(resolve))
      inside--
    }
    await Promise.all(Array.from({ length: 20 }, (_, index) => reserve.write(write(index))))
    expect([most, statSync(path).size]).toEqual([1, reserveBytes])
  })
})

describe('a full disk (only root can mount a small one)', () => {
  test.skipIf(!isRoot)(
    'takes writes in the reserved space, again and again',
    async ({ folder }) => {
      using disk = smallDisk(folder, 1 << 20)
      const reserve = await openRecordReserve(join(disk.path, 'reserve'))
      disk.fill()
      const path = join(disk.path, 'record')
      for (let index = 1; index <= 10; index++) {
        const content = String(index).repeat(8192 * index)
        await reserve.write(() => Promise.resolve(writeFileSync(path, content)))
        expect(statSync(path).size).toBe(content.length)
      }
    },
  )

  test.skipIf(!isRoot)(
    'prevents a reserve, which is filled when there is space',
    async ({ folder }) => {
      using disk = smallDisk(folder, 1 << 20)
      disk.fill()
      const path = join(disk.path, 'reserve')
      const reserve = await openRecordReserve(path)
      expect(statSync(path).size).toBe(0)
      disk.free()
      await reserve.write(() => Promise.resolve())
      await expect.poll(() => statSync(path).size).toBe(reserveBytes)
    },
  )
})
