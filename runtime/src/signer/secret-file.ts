/** Reads and writes secret files: as bytes, readable by their owner only. @module */
import {
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  writeFileSync,
  writeSync,
  type Stats,
} from 'node:fs'
import { dirname } from 'node:path'
import { closing, orUndoNow } from '@causeway/service/failure'
import { secretBytes } from './secret-bytes.ts'

const othersMayRead = 0o077
const ownerOnly = 0o600

/** How to read a secret file. */
export interface SecretFileOptions {
  maxBytes: number
  /** Follow a symlink at the end of the path; default true. */
  followLink?: boolean
}

/**
 * Content of a plain file that belongs to us or root and that only its owner may read.
 * @returns bytes that no other buffer shares; the caller zeroes them
 * @throws Error naming the file and what was wrong, never content
 */
export function readSecretFile(
  file: string,
  { maxBytes, followLink = true }: SecretFileOptions,
): Buffer {
  // Non-blocking: opening a fifo would wait forever.
  const flags = constants.O_RDONLY | constants.O_NONBLOCK
  const fd = openSync(file, followLink ? flags : flags | constants.O_NOFOLLOW)
  const content = closing(fd, () => {
    const found = fstatSync(fd)
    check(file, found, maxBytes)
    const bytes = readWhole(fd, found.size)
    // A file with no link left was replaced meanwhile, and its bytes may already be overwritten.
    if (fstatSync(fd).nlink > 0) return bytes
    bytes.fill(0)
    return undefined
  })
  return content ?? readSecretFile(file, { maxBytes, followLink })
}

/** Creates a file of mode 0600; it is on disk when this returns. @throws Error with code EEXIST */
export function createSecretFile(file: string, content: Uint8Array): void {
  const fd = openSync(file, 'wx', ownerOnly)
  const write = () => {
    // The umask may have removed permissions.
    fchmodSync(fd, ownerOnly)
    writeFileSync(fd, content)
    fsyncSync(fd)
  }
  closing(fd, () => orUndoNow(write, () => rmSync(file)))
}

/** Replaces a file atomically. */
export function replaceSecretFile(file: string, content: Uint8Array, draft: string): void {
  createSecretFile(draft, content)
  renameSync(draft, file)
  syncFolder(dirname(file))
}

/** Brings renames, links and removals in a folder to the disk. */
export function syncFolder(folder: string): void {
  closing(openSync(folder, constants.O_RDONLY | constants.O_DIRECTORY), fsyncSync)
}

/**
 * Runs `replace`, which gives the file's name to another file, then overwrites the old content. The
 * old bytes survive on a file system that writes to new blocks, and on a disk that remaps blocks.
 * @returns whether no other name refers to the old bytes
 */
export function overwriteReplaced(file: string, replace: () => void): boolean {
  return closing(openSync(file, constants.O_RDWR | constants.O_NOFOLLOW), (fd) => {
    replace()
    const { nlink, size } = fstatSync(fd)
    // A file with another name is somebody's copy, and not ours to destroy.
    if (nlink > 0) return false
    writeSync(fd, Buffer.alloc(size), 0, size, 0)
    fsyncSync(fd)
    return true
  })
}

function readWhole(fd: number, size: number): Buffer {
  // Not from Node's pool, which other buffers share.
  const content = secretBytes(size)
  let length = 0
  while (length < size) {
    const count = readSync(fd, content, length, size - length, null)
    if (count === 0) break
    length += count
  }
  return content.subarray(0, length)
}

function check(file: string, found: Stats, maxBytes: number): void {
  const mode = found.mode & 0o777
  if (!found.isFile()) throw new Error(`${file}: expected a file, found something else`)
  if (mode & othersMayRead) {
    throw new Error(
      `${file}: expected mode 600, found ${mode.toString(8)}; other users could read it`,
    )
  }
  if (found.uid !== process.getuid?.() && found.uid !== 0) {
    throw new Error(
      `${file}: expected a file of uid ${process.getuid?.()} or root, found one of uid ${found.uid}`,
    )
  }
  if (found.size > maxBytes) {
    throw new Error(`${file}: expected at most ${maxBytes} bytes, found ${found.size}`)
  }
}
