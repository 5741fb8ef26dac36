/** Checks for free disk space before it is used up: a full disk stops the whole host. @module */
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ImageError } from '../image-error.ts'

/**
 * Checks that `bytes` more bytes fit on the disk of `path`, which need not exist yet.
 *
 * @param what what needs the space, for the message
 * @throws ImageError IMAGE_TOO_LARGE with both figures
 */
export async function requireSpace(path: string, bytes: number, what: string): Promise<void> {
  const { bavail, bsize } = await statfs(dirname(path))
  const available = bavail * bsize
  if (bytes <= available) return
  const message = `the disk is too full for ${what}: it needs ${bytes} bytes, ${available} are available in ${dirname(path)}`
  throw new ImageError('IMAGE_TOO_LARGE', message)
}

/** The error for a disk that became full while writing. */
export function diskFull(path: string, what: string, cause: unknown): ImageError {
  const message = `the disk with ${dirname(path)} is full; ${what} needs more`
  return new ImageError('IMAGE_TOO_LARGE', message, { cause })
}
