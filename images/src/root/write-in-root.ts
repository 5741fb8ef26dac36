/** Writes into an unpacked root from the host, never following a symlink out of it. @module */
import {
  closeSync,
  constants,
  fchmodSync,
  fchownSync,
  lchownSync,
  lstatSync,
  mkdirSync,
  openSync,
  rmdirSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs'
import { basename, dirname, join } from 'node:path'
import { errorCode } from '@causeway/service/failure'
import { ImageError } from '../image-error.ts'
import { resolveInRoot } from './resolve-in-root.ts'

/** The host's ids that own something in the root. */
export interface Owner {
  uid: number
  gid: number
}

/** Mode and owner of a file written into a root. */
export interface WriteOptions {
  /** Permission bits, default 0644; exact, independent of the umask. */
  mode?: number
  /** Owner of the file and of folders created for it; default the caller. */
  owner?: Owner
}

const createNew = constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW

/**
 * Writes `content` as a new file at `guestPath`. Anything with that name, a symlink too, is
 * removed, not followed; parent folders are followed inside the root and created (0755) when
 * missing.
 *
 * @returns the file's host path
 * @throws ImageError IMAGE_ARCHIVE_INVALID when a component is no folder or a loop, or when the
 *   name is a folder that is not empty; TypeError for a path that names no file
 */
export async function writeInRoot(
  root: string,
  guestPath: string,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
  options: WriteOptions = {},
): Promise<string> {
  const { mode = 0o644, owner } = options
  const name = basename(guestPath)
  if (name === '' || name === '.' || name === '..') {
    throw new TypeError(`a file path in the image expected, found ${JSON.stringify(guestPath)}`)
  }
  const path = join(makeFolderInRoot(root, dirname(guestPath), options), name)
  removeOld(path, guestPath)
  const file = openSync(path, createNew, 0o600)
  try {
    await writeContent(file, content)
    if (owner !== undefined) fchownSync(file, owner.uid, owner.gid)
    fchmodSync(file, mode) // after chown, which would take set-id bits away
  } finally {
    closeSync(file)
  }
  return path
}

async function writeContent(
  file: number,
  content: string | Uint8Array | AsyncIterable<Uint8Array>,
): Promise<void> {
  if (typeof content === 'string' || content instanceof Uint8Array) {
    return writeFileSync(file, content)
  }
  // Each chunk is appended to the previous one.
  for await (const chunk of content) writeFileSync(file, chunk)
}

/**
 * Makes sure that the folder `guestPath` exists in the root, with everything above it.
 *
 * @returns its host path, without symlinks below `root`
 * @throws ImageError IMAGE_ARCHIVE_INVALID when a component is no folder, or a symlink loop
 */
export function makeFolderInRoot(
  root: string,
  guestPath: string,
  { owner }: { owner?: Owner } = {},
): string {
  let prefix = '/'
  let path = root
  for (const name of guestPath.split('/').filter((part) => part !== '' && part !== '.')) {
    prefix = `${prefix}${name}/`
    path = ensureFolder(root, prefix, owner)
  }
  return path
}

function ensureFolder(root: string, guestPath: string, owner?: Owner): string {
  const path = resolveInRoot(root, guestPath)
  if (path === undefined) throw notFolder(guestPath)
  const stat = lstatSync(path, { throwIfNoEntry: false })
  if (stat?.isDirectory() === true) return path
  if (stat !== undefined) throw notFolder(guestPath)
  mkdirSync(path, 0o755)
  if (owner !== undefined) lchownSync(path, owner.uid, owner.gid)
  return path
}

function removeOld(path: string, guestPath: string): void {
  try {
    const stat = lstatSync(path, { throwIfNoEntry: false })
    if (stat === undefined) return
    if (stat.isDirectory()) rmdirSync(path)
    else unlinkSync(path)
  } catch (error) {
    const code = errorCode(error)
    if (code !== 'ENOTEMPTY') throw error
    const message = `${guestPath} in the image is a folder with content, expected a file`
    throw new ImageError('IMAGE_ARCHIVE_INVALID', message, { cause: error })
  }
}

function notFolder(guestPath: string): ImageError {
  const name = guestPath.replace(/\/$/, '')
  const message = `${name} in the image is not a folder and leads to none`
  return new ImageError('IMAGE_ARCHIVE_INVALID', message)
}
