/** Opens files of a log safely: somebody may have replaced them by links or fifos. @module */
import { closeSync, constants, fstatSync, openSync } from 'node:fs'
import { closing } from '@causeway/service/failure'

/**
 * Opens a plain file without following a link or waiting at a fifo.
 * @returns its descriptor, or undefined when there is no file
 * @throws Error naming the path when it is no plain file
 */
export function openPlain(path: string, flags: number = constants.O_RDONLY): number | undefined {
  const fd = openIfThere(path, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  if (fd === undefined) return undefined
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notPlain(path)
}

/** Reads a plain file; undefined when there is none. @throws Error as {@link openPlain} */
export function withPlain<T>(path: string, read: (fd: number) => T): T | undefined {
  const fd = openPlain(path)
  return fd === undefined ? undefined : closing(fd, read)
}

/** Like {@link openPlain}, but creates a missing file with mode 0600. */
export function createPlain(path: string, flags: number): number {
  const fd = openSync(
    path,
    flags | constants.O_CREAT | constants.O_NONBLOCK | constants.O_NOFOLLOW,
    0o600,
  )
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notPlain(path)
}

function openIfThere(path: string, flags: number): number | undefined {
  try {
    return openSync(path, flags)
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'ENOENT') return undefined
    // ELOOP: a link; ENXIO: a fifo or socket without a reader or server.
    if (code === 'ELOOP' || code === 'ENXIO') throw notPlain(path)
    throw error
  }
}

function notPlain(path: string): Error {
  return new Error(`${path}: expected a file, found something else`)
}
