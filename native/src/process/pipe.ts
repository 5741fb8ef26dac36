/** Real pipes for a job's stdio. @module */
import { addon } from '../addon.ts'
import { checkDescriptor, checkUid } from '../arguments.ts'
import { checked } from '../system-error.ts'

/** Both ends of a pipe; the owner of each descriptor closes it. */
export interface Pipe {
  readFd: number
  writeFd: number
}

/**
 * Makes a pipe(2), close-on-exec at both ends.
 *
 * Node's own `'pipe'` stdio is a socket pair, which `echo > /dev/stdout` in a guest cannot open
 * (ENXIO). A pipe can only be opened again by its owner.
 *
 * @param ownerUid Owner of the pipe: the uid that the job runs as. Default: this process's.
 * @throws TypeError or RangeError naming the argument; SystemError, `EPERM` when not allowed to
 *   chown.
 */
export function createPipe(ownerUid?: number): Pipe {
  if (ownerUid !== undefined) checkUid(ownerUid, 'ownerUid')
  const ends = new Int32Array(2)
  checked('pipe', addon().pipe(ends))
  const [readFd = -1, writeFd = -1] = ends
  const pipe = { readFd, writeFd }
  try {
    if (ownerUid !== undefined) chownFd(readFd, ownerUid)
  } catch (error) {
    closeFd(readFd)
    closeFd(writeFd)
    throw error
  }
  return pipe
}

/**
 * Gives an open file to a user. Both ends of a pipe share one inode: one call is enough.
 *
 * @throws TypeError or RangeError naming the argument; SystemError, `EPERM` when not allowed.
 */
export function chownFd(fd: number, uid: number): void {
  checkDescriptor(fd)
  checkUid(uid, 'uid')
  checked('fchown', addon().fchown(fd, uid))
}

/**
 * Closes a descriptor; unlike `fs.closeSync`, without a warning about those Node does not know.
 *
 * @throws SystemError, `EBADF` when it is not open.
 */
export function closeFd(fd: number): void {
  checkDescriptor(fd)
  checked('close', addon().close(fd))
}
