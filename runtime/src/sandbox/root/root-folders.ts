/**
 * The folders that a job's root is made of.
 * @module
 */
import { execFile } from 'node:child_process'
import { access, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { removeTree } from '@causeway/images'
import type { LaunchOptions } from '../launcher/launcher.ts'
import type { Layers } from '../layers.ts'

const run = promisify(execFile)

export type RootFolders = NonNullable<LaunchOptions['root']>

export interface LayerOptions {
  /** The unpacked image. */
  tree: string
  imageUid: number
  /** Whether what the job writes goes into a file system of its own. */
  isHard: boolean
  /** Where the launcher has mounted that already. */
  mounted?: { upper: string; work: string }
}

/** Host paths below an execution's folder, or as its launcher sees them. */
export function layersOf(
  folder: string,
  layers: Layers,
  { tree, imageUid, isHard, mounted }: LayerOptions,
): RootFolders {
  const root = join(folder, 'root')
  if (layers.root === 'copy') return { folder: root }
  const above = isHard ? join(folder, 'storage') : folder
  return {
    folder: root,
    overlay: {
      lower: tree,
      upper: mounted?.upper ?? join(above, 'upper'),
      work: mounted?.work ?? join(above, 'work'),
      ...(layers.shiftsIds && { lowerOwner: imageUid }),
      ...(isHard && !mounted && { storage: { file: storageFile(folder), folder: above } }),
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
