import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  canLimitStorage,
  makeStorageFile,
  usedBytes,
} from '../../../../runtime/src/sandbox/storage.ts'
import { test } from '../../../support/folder-fixture.ts'

const mebibyte = 1024 * 1024

describe('what a job wrote', () => {
  test('counts by what it takes on the disk', async ({ folder }) => {
    const before = await usedBytes(folder)
    writeFileSync(join(folder, 'file'), Buffer.alloc(mebibyte, 1))
    execFileSync('mkdir', ['-p', join(folder, 'a/b')])
    writeFileSync(join(folder, 'a/b/file'), Buffer.alloc(mebibyte, 1))
    execFileSync('truncate', ['-s', '1G', join(folder, 'sparse')])
    const used = (await usedBytes(folder)) - before
    expect(used).toBeGreaterThanOrEqual(2 * mebibyte)
    expect(used).toBeLessThan(3 * mebibyte)
  })

  test('is nothing where there is no folder', async ({ folder }) => {
    expect(await usedBytes(join(folder, 'missing'))).toBe(0)
  })
})

describe.skipIf(!existsSync('/usr/sbin/mkfs.ext4'))('a file with a file system', () => {
  test('has its size, and takes little of the disk', async ({ folder }) => {
    const path = join(folder, 'storage.ext4')
    await makeStorageFile(path, 64 * mebibyte)
    const { size, blocks, mode } = statSync(path)
    expect(size).toBe(64 * mebibyte)
    expect(blocks * 512).toBeLessThan(8 * mebibyte)
    expect(mode & 0o777).toBe(0o600)
    // Magic number of ext4 (its superblock begins at 1024).
    expect(readFileSync(path).readUInt16LE(1024 + 56)).toBe(0xef53)
    execFileSync('/usr/sbin/e2fsck', ['-fn', path], { stdio: 'pipe' })
  })

  test('is kept when it is there', async ({ folder }) => {
    const path = join(folder, 'storage.ext4')
    writeFileSync(path, 'what a job wrote')
    await makeStorageFile(path, mebibyte)
    expect(readFileSync(path, 'utf8')).toBe('what a job wrote')
  })

  test('leaves nothing when it can not be made', async ({ folder }) => {
    // As large as no file system may be.
    const path = join(folder, 'storage.ext4')
    await expect(makeStorageFile(path, Number.MAX_SAFE_INTEGER)).rejects.toThrow(
      /EFBIG|EINVAL|mkfs/,
    )
    expect(existsSync(path)).toBe(false)
  })
})

test('an ordinary user can give no job a file system', async ({ skip }) => {
  skip(process.getuid?.() === 0, 'root can, where there are loop devices')
  expect(await canLimitStorage()).toBe(false)
})
