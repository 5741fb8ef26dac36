import { execFileSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { canLimitStorage, usedBytes } from '../../../../runtime/src/sandbox/storage/storage.ts'
import { test } from '../../../support/folder-fixture.ts'

const mebibyte = 1024 * 1024

describe('what a job wrote', () => {
  test('counts by the space that it takes on the disk', async ({ folder }) => {
    const before = await usedBytes(folder)
    writeFileSync(join(folder, 'file'), Buffer.alloc(mebibyte, 1))
    execFileSync('mkdir', ['-p', join(folder, 'a/b')])
    writeFileSync(join(folder, 'a/b/file'), Buffer.alloc(mebibyte, 1))
    execFileSync('truncate', ['-s', '1G', join(folder, 'sparse')])
    const used = (await usedBytes(folder)) - before
    expect(used).toBeGreaterThanOrEqual(2 * mebibyte)
    expect(used).toBeLessThan(3 * mebibyte)
  })

  test('is nothing where the folder does not exist', async ({ folder }) => {
    expect(await usedBytes(join(folder, 'missing'))).toBe(0)
  })
})

test('an ordinary user cannot give jobs a file system', async ({ folder, skip }) => {
  skip(process.getuid?.() === 0, 'root can, where there are loop devices')
  expect(await canLimitStorage(folder)).toBe(false)
})
