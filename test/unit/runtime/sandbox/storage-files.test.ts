import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync, readdirSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { linkFd } from '@causeway/native/process'
import { describe, expect } from 'vitest'
import {
  canMakeUnnamed,
  makeFileSystem,
  makeStorageFile,
  makeUnnamedStorage,
} from '../../../../runtime/src/sandbox/storage/storage-files.ts'
import { test } from '../../../support/folder-fixture.ts'

const mebibyte = 1024 * 1024
// Larger than any file system may be.
const tooLarge = Number.MAX_SAFE_INTEGER

function checkFileSystem(path: string, bytes: number): void {
  const { size, blocks, mode } = statSync(path)
  expect(size).toBe(bytes)
  expect(blocks * 512).toBeLessThan(8 * mebibyte)
  expect(mode & 0o777).toBe(0o600)
  // Magic number of ext4 (its superblock begins at 1024).
  expect(readFileSync(path).readUInt16LE(1024 + 56)).toBe(0xef53)
  execFileSync('/usr/sbin/e2fsck', ['-fn', path], { stdio: 'pipe' })
}

describe.skipIf(!existsSync(makeFileSystem))('file system images', () => {
  test('have the requested size, and take little of the disk', async ({ folder }) => {
    const path = join(folder, 'storage.ext4')
    await makeStorageFile(path, 64 * mebibyte)
    checkFileSystem(path, 64 * mebibyte)
  })

  test('stay when they exist', async ({ folder }) => {
    const path = join(folder, 'storage.ext4')
    writeFileSync(path, 'what a job wrote')
    await makeStorageFile(path, mebibyte)
    expect(readFileSync(path, 'utf8')).toBe('what a job wrote')
  })

  test('leave nothing behind when they cannot be made', async ({ folder }) => {
    const path = join(folder, 'storage.ext4')
    await expect(makeStorageFile(path, tooLarge)).rejects.toThrow(/EFBIG|EINVAL|mkfs/)
    expect(readdirSync(folder)).toEqual([])
  })

  test('without a name do not show in their folder', async ({ folder }) => {
    const file = await makeUnnamedStorage(folder, 16 * mebibyte)
    expect(readdirSync(folder)).toEqual([])
    linkFd(file.fd, join(folder, 'named'))
    await file.close()
    checkFileSystem(join(folder, 'named'), 16 * mebibyte)
  })
})

test('the check tells whether a folder supports files without a name', async ({ folder }) => {
  expect(await canMakeUnnamed(folder)).toBe(true)
  expect(await canMakeUnnamed('/proc/self')).toBe(false)
})
