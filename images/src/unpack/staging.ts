/** The staging folder: an image is unpacked into it and renamed only when complete. @module */
import { randomBytes } from 'node:crypto'
import {
  chmod,
  chown,
  constants,
  mkdir,
  open,
  readdir,
  rename,
  rmdir,
  type FileHandle,
} from 'node:fs/promises'
import { join, resolve } from 'node:path'
import { errorCode, orUndo } from '@causeway/service/failure'
import { ImageError } from '../image-error.ts'
import type { Owner } from '../root/write-in-root.ts'

/** Creates `<target>.<random>.staging`, mode 0700, owned by `owner` (undefined: ourselves). */
export async function createStaging(target: string, owner: Owner | undefined): Promise<string> {
  const staging = `${resolve(target)}.${randomBytes(8).toString('hex')}.staging`
  await mkdir(staging, { mode: 0o700 })
  if (owner !== undefined) {
    await orUndo(
      () => chown(staging, owner.uid, owner.gid),
      () => rmdir(staging),
    )
  }
  return staging
}

/**
 * Gives the unpacked tree its final name and mode 0755; if `wrapped`, the tree is the single folder
 * inside. The staging folder is gone afterwards.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID when the tree is not a root file system
 */
export async function promoteStaging(
  staging: string,
  target: string,
  wrapped: boolean,
): Promise<void> {
  // The archive's own mode could lock out the user it is for, or us, who must rename it.
  await openUp(staging)
  const root = wrapped ? await onlyEntry(staging) : staging
  if (wrapped) await openUp(root)
  const names = await readdir(root)
  if (!['bin', 'usr', 'etc'].some((name) => names.includes(name))) throw notRoot(names)
  await rename(root, target)
  if (wrapped) await rmdir(staging)
}

/** Sets mode 0755 by descriptor, so that no symlink can redirect it. */
async function openUp(folder: string): Promise<void> {
  await using handle = await openFolder(folder)
  await handle.chmod(0o755)
}

/** Without root, a folder that is closed even to its owner can only be opened up by its path. */
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

async function onlyEntry(folder: string): Promise<string> {
  const [name = ''] = await readdir(folder)
  return join(folder, name)
}

function notRoot(names: string[]): ImageError {
  const found = names.length === 0 ? 'nothing' : names.slice(0, 8).join(', ')
  const message = `the image is not a root file system: found ${found}; expected bin, usr or etc`
  return new ImageError('IMAGE_ARCHIVE_INVALID', message)
}
