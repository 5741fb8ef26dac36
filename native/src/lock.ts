/**
 * Locks that the kernel gives back when their holder dies.
 *
 * @module
 */
import { addon } from './addon.ts'
import { checked } from './system-error.ts'

/** `exclusive`: one holder; `shared`: any number of them, but no exclusive one. */
export type LockMode = 'exclusive' | 'shared'

/**
 * Takes a flock(2) on a file, which is created with mode 0600 when it is not there.
 *
 * @returns a descriptor, close-on-exec, that holds the lock until it is closed; undefined when
 *   another process, or another descriptor of this one, holds it in a way that excludes this.
 * @throws SystemError, such as `EACCES` or `ELOOP` for a symlink.
 */
export function lockFile(path: string, mode: LockMode = 'exclusive'): number | undefined {
  if (path.includes('\0')) throw new TypeError('path must not contain NUL')
  const result = addon().lock(path, mode === 'shared')
  return result === -wouldBlock ? undefined : checked('lock', result)
}

/** EWOULDBLOCK, the same number on every Linux architecture we build for. */
const wouldBlock = 11
