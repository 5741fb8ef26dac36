import { symlinkSync, mkdtempSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, it } from 'vitest'
import { closeFd, lockFile } from '@causeway/native/process'

const folder = mkdtempSync(join(tmpdir(), 'causeway-lock-'))
afterAll(() => rmSync(folder, { recursive: true }))

it('is held by one, until it is closed', () => {
  const path = join(folder, 'a')
  const fd = lockFile(path)!
  expect(lockFile(path)).toBeUndefined()
  closeFd(fd)
  const again = lockFile(path)!
  expect(again).toBeTypeOf('number')
  closeFd(again)
  expect(statSync(path).mode & 0o777).toBe(0o600)
})

it('is shared by any number, which keep an exclusive one out', () => {
  const path = join(folder, 'shared')
  const fds = [lockFile(path, 'shared')!, lockFile(path, 'shared')!]
  expect(lockFile(path)).toBeUndefined()
  for (const fd of fds) closeFd(fd)
  const alone = lockFile(path)!
  expect(lockFile(path, 'shared')).toBeUndefined()
  closeFd(alone)
})

it('follows no link and names what failed', () => {
  symlinkSync(join(folder, 'elsewhere'), join(folder, 'link'))
  expect(() => lockFile(join(folder, 'link'))).toThrow(
    expect.objectContaining({ code: 'ELOOP', syscall: 'lock' }),
  )
  expect(() => lockFile(join(folder, 'missing/a'))).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  )
  expect(() => lockFile('a\0b')).toThrow(TypeError)
})
