/** Reads from an unpacked root, in which a file can be of any kind. @module */
import { constants, fstatSync, openSync, readSync } from 'node:fs'
import { closing, ifThere } from '@causeway/service/failure'
import { resolveInRoot } from './resolve-in-root.ts'

// Opening a fifo of the image would block forever without O_NONBLOCK.
const flags = constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK

/**
 * The first bytes of a regular file; links are followed inside the root. Undefined when it is not a
 * regular file.
 */
export function readInRoot(root: string, guestPath: string, maxBytes: number): Buffer | undefined {
  const path = resolveInRoot(root, guestPath)
  return path === undefined ? undefined : readPlainFile(path, maxBytes)
}

function readPlainFile(path: string, maxBytes: number): Buffer | undefined {
  // Missing, a socket, replaced by a link meanwhile, or closed to an ordinary user.
  const file = ifThere(() => openSync(path, flags), 'ENXIO', 'ELOOP', 'EACCES')
  if (file === undefined) return undefined
  return closing(file, () => {
    if (!fstatSync(file).isFile()) return undefined
    const content = Buffer.alloc(maxBytes)
    return content.subarray(0, readSync(file, content, 0, maxBytes, 0))
  })
}
