/** Names a file that has no name. @module */
import { addon } from '../addon.ts'
import { checkDescriptor } from '../arguments.ts'
import { checked } from '../system-error.ts'

/**
 * Gives a file that was opened with `O_TMPFILE` a name on the same file system: linkat(2). A file
 * without a name disappears with its last descriptor, so a killed process leaves none.
 *
 * @throws TypeError or RangeError naming the argument; SystemError: `EEXIST` when the name is
 *   taken, `EXDEV` on another file system.
 */
export function linkFd(fd: number, path: string): void {
  checkDescriptor(fd)
  if (path.includes('\0')) throw new TypeError('path must not contain NUL')
  checked('linkat', addon().link(fd, path))
}
