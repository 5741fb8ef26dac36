/**
 * The folder of one run: named after the process that owns it, gone when the run ends. What a
 * killed process left is removed by the next one.
 * @module
 */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { isAbandoned, ownedName } from './process-tag.ts'

const kind = 'run'

/** Creates a folder of our own below `deployments`, entered only by root or its owner. */
export function createRunFolder(deployments: string): string {
  const folder = join(deployments, ownedName(kind))
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Removes the folders of runs whose process is gone; their jobs died with it. */
export async function removeStaleRuns(deployments: string): Promise<void> {
  for (const name of readdirSync(deployments)) {
    if (isAbandoned(kind, name)) await removeTree(join(deployments, name))
  }
}
