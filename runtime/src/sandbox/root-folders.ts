/**
 * The folders that a job's root is made of.
 * @module
 */
import { execFile } from 'node:child_process'
import { access, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removeTree } from '@causeway/images'
import type { LaunchOptions } from './launcher.ts'
import type { Layers } from './layers.ts'

const run = promisify(execFile)

export type RootFolders = NonNullable<LaunchOptions['root']>

/**
 * Host paths below an execution's folder.
 * @param isHard whether what the job writes goes into a file system of its own
 */
export function layersOf(
  folder: string,
  layers: Layers,
  { tree, imageUid, isHard }: { tree: string; imageUid: number; isHard: boolean },
): RootFolders {
  const root = join(folder, 'root')
  if (layers.root === 'copy') return { folder: root }
  const above = isHard ? join(folder, 'storage') : folder
  return {
    folder: root,
    overlay: {
      lower: tree,
      upper: join(above, 'upper'),
      work: join(above, 'work'),
      ...(layers.shiftsIds && { lowerOwner: imageUid }),
      ...(isHard && { storage: { file: storageFile(folder), folder: above } }),
    },
  }
}

/** The file system for what a job writes, in an execution's folder. */
export function storageFile(folder: string): string {
  return join(folder, 'storage.ext4')
}

/** In an execution's folder: its root is filled. */
export function filledFile(folder: string): string {
  return join(folder, 'filled')
}

/** Gives up what a job wrote, first of all the note that its root can be used again. */
export async function abandonRoot(folder: string): Promise<void> {
  for (const path of [filledFile(folder), storageFile(folder)]) await rm(path, { force: true })
}

/** Copies an unpacked image, by reference where the disk can; one that is there already stays. */
export async function copyTree(tree: string, root: string): Promise<void> {
  const isThere = await access(root).then(
    () => true,
    () => false,
  )
  if (isThere) return
  const partial = `${root}.partial`
  await removeTree(partial)
  await run('cp', ['-a', '--reflink=auto', '--', tree, partial], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
  await rename(partial, root)
}
