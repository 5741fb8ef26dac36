/** The folders and files of which a job's root is made. @module */
import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rename } from 'node:fs/promises'
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
  /** Folders in that file system, if the launcher has already mounted it. */
  mounted?: { upper: string; work: string }
}

/** Paths below an execution's folder, as the host or its launcher sees them. */
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

/** Path of the file system image for what a job writes. */
export function storageFile(folder: string): string {
  return join(folder, 'storage.ext4')
}

/** Path of the file that marks an execution's root as filled. */
export function filledFile(folder: string): string {
  return join(folder, 'filled')
}

/** Copies an unpacked image, by reflink where the disk can; an existing copy stays. */
export async function copyTree(tree: string, root: string): Promise<void> {
  if (existsSync(root)) return
  const partial = `${root}.partial`
  await removeTree(partial)
  await run('cp', ['-a', '--reflink=auto', '--', tree, partial], {
    env: { PATH: '/usr/bin:/bin', LC_ALL: 'C' },
  })
  await rename(partial, root)
}
