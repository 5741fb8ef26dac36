/**
 * The folder an image is unpacked into before it gets its name: all of it or nothing.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  constants,
  lstat,
  mkdir,
  open,
  readdir,
  rename,
  type FileHandle,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { ImageError, errorCode } from '../image-error.ts'

/** Top-level names that are a root's own, so not a wrapper around one. */
const rootNames = new Set(
  (
    'bin boot dev etc home lib lib32 lib64 libx32 media mnt opt proc root run sbin srv sys tmp ' +
    'usr var'
  ).split(' '),
)

/** Creates `<target>.<random>.staging`, mode 0700, owned by the given ids (-1: ours). */
export async function createStaging(target: string, uid: number, gid: number): Promise<string> {
  const staging = `${resolve(target)}.${randomBytes(8).toString('hex')}.staging`
  await mkdir(staging, { mode: 0o700 })
  await chown(staging, uid, gid)
  return staging
}

/**
 * Gives the unpacked tree (or the one inside its single wrapper folder) its final name and mode
 * 0755; the staging folder may stay behind, empty.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID when it is no root file system
 */
export async function promoteStaging(staging: string, target: string): Promise<void> {
  // The archive's own mode could lock out the very user it is for (or us, who must rename it).
  await openUp(staging)
  const wrapper = await findWrapper(staging)
  const root = wrapper === undefined ? staging : join(staging, wrapper)
  await openUp(root)
  const names = await readdir(root)
  if (!['bin', 'usr', 'etc'].some((name) => names.includes(name))) throw notRoot(names)
  await rename(root, target)
}

/** Mode 0755 by descriptor, so that no symlink can lead it elsewhere. */
async function openUp(folder: string): Promise<void> {
  const handle = await openFolder(folder)
  try {
    await handle.chmod(0o755)
  } finally {
    await handle.close()
  }
}

/** Without root, a folder that is closed even to its owner opens only by its path. */
async function openFolder(folder: string): Promise<FileHandle> {
  const flags = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW
  try {
    return await open(folder, flags)
  } catch (error) {
    if (errorCode(error) !== 'EACCES') throw error
    await chmod(folder, 0o755)
    return open(folder, flags)
  }
}

async function findWrapper(staging: string): Promise<string | undefined> {
  const [name, second] = await readdir(staging)
  if (name === undefined || second !== undefined || rootNames.has(name)) return undefined
  const stat = await lstat(join(staging, name))
  return stat.isDirectory() ? name : undefined
}

function notRoot(names: string[]): ImageError {
  const found = names.length === 0 ? 'nothing' : names.slice(0, 8).join(', ')
  const message = `the image is not a root file system: found ${found}; expected bin, usr or etc`
  return new ImageError('IMAGE_ARCHIVE_INVALID', message)
}
