/** Locks that the kernel releases when their holder dies. @module */
import { addon } from '../addon.ts'
import { systemError } from '../system-error.ts'

/** `exclusive`: one holder and no other; `shared`: any number of shared holders. */
export type LockMode = 'exclusive' | 'shared'

/**
 * Takes a flock(2) on a file, which is created with mode 0600 if it is missing.
 *
 * @returns a close-on-exec descriptor that keeps the lock until it is closed; undefined when
 *   another process, or another descriptor of this one, has a conflicting lock.
 * @throws SystemError with the path, such as `EACCES` or `ELOOP` for a symlink.
 */
export function lockFile(path: string, mode: LockMode = 'exclusive'): number | undefined {
  if (path.includes('\0')) throw new TypeError('path must not contain NUL')
  const result = addon().lock(path, mode === 'shared')
  if (result === -wouldBlock) return undefined
  if (result < 0) throw systemError('lock', result, path)
  return result
}

/** EWOULDBLOCK; the same number on every Linux architecture we build for. */
const wouldBlock = 11
