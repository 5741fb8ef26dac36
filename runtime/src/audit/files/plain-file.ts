/**
 * Opens files of a log, which somebody may have exchanged for something else.
 * @module
 */
import { closeSync, constants, fstatSync, openSync } from 'node:fs'

/**
 * A descriptor of a plain file; it neither follows a link nor waits at a fifo.
 * @returns undefined when nothing is there
 * @throws Error naming the path when it is no plain file
 */
export function openPlain(path: string, flags: number = constants.O_RDONLY): number | undefined {
  const fd = openIfThere(path, flags | constants.O_NONBLOCK | constants.O_NOFOLLOW)
  if (fd === undefined) return undefined
  if (fstatSync(fd).isFile()) return fd
  closeSync(fd)
  throw notPlain(path)
}

/** The same, made with mode 0600 when nothing is there. */
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
    // Of a link, and of a fifo or socket that nobody serves.
    if (code === 'ELOOP' || code === 'ENXIO') throw notPlain(path)
    throw error
  }
}

function notPlain(path: string): Error {
  return new Error(`${path}: expected a file, found something else`)
}
