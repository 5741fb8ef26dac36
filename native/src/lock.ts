/**
 * Locks that the kernel gives back when their holder dies.
 *
 * @module
 */
import { addon } from './addon.ts'
import { checked } from './system-error.ts'

/**
 * Takes an exclusive flock(2) on a file, which is created with mode 0600 when it is not there.
 *
 * @returns a descriptor, close-on-exec, that holds the lock until it is closed; undefined when
 *   another process, or another descriptor of this one, holds it.
 * @throws SystemError, such as `EACCES` or `ELOOP` for a symlink.
 */
export function lockFile(path: string): number | undefined {
  if (path.includes('\0')) throw new TypeError('path must not contain NUL')
  const result = addon().lock(path)
  return result === -wouldBlock ? undefined : checked('lock', result)
}

/** EWOULDBLOCK, the same number on every Linux architecture we build for. */
const wouldBlock = 11
