import { closeSync, constants, openSync, readdirSync, readFileSync, writeSync } from 'node:fs'
import { join } from 'node:path'
import { expect } from 'vitest'
import { linkFd } from '@causeway/native/process'
import { test } from '../../support/folder-fixture.ts'

// O_TMPFILE, which Node has no name for.
const unnamed = 0o20_000_000 | constants.O_DIRECTORY | constants.O_RDWR

test('a file without a name gets one', ({ folder }) => {
  const fd = openSync(folder, unnamed, 0o600)
  writeSync(fd, 'text')
  expect(readdirSync(folder)).toEqual([])
  linkFd(fd, join(folder, 'named'))
  closeSync(fd)
  expect(readFileSync(join(folder, 'named'), 'utf8')).toBe('text')
})

test('a name that is taken stays as it is', ({ folder }) => {
  const fds = [openSync(folder, unnamed, 0o600), openSync(folder, unnamed, 0o600)] as const
  writeSync(fds[0], 'first')
  linkFd(fds[0], join(folder, 'named'))
  expect(() => linkFd(fds[1], join(folder, 'named'))).toThrow(
    expect.objectContaining({ code: 'EEXIST', syscall: 'linkat' }),
  )
  for (const fd of fds) closeSync(fd)
  expect(readFileSync(join(folder, 'named'), 'utf8')).toBe('first')
})

test('what is no descriptor or no path is named', ({ folder }) => {
  expect(() => linkFd(-1, folder)).toThrow(/fd must be an integer/)
  const fd = openSync(folder, unnamed, 0o600)
  expect(() => linkFd(fd, 'a\0b')).toThrow(/path must not contain NUL/)
  expect(() => linkFd(fd, join(folder, 'missing/a'))).toThrow(
    expect.objectContaining({ code: 'ENOENT' }),
  )
  closeSync(fd)
})
