/**
 * The folder of one run: named after the process that owns it, and removed when the run ends. The
 * next run removes folders that killed processes left.
 * @module
 */
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { inState } from '../errors/state-fault.ts'
import { isAbandoned, ownedName } from './process-tag.ts'

const kind = 'run'

/** Creates a folder below `deployments` that only its owner and root may enter. */
export function createRunFolder(deployments: string): string {
  const folder = join(deployments, ownedName(kind))
  inState(deployments, () => mkdirSync(folder, { mode: 0o700 }))
  return folder
}

/** Removes the folders of runs whose process is gone; their jobs died with the process. */
export async function removeStaleRuns(deployments: string): Promise<void> {
  for (const name of readdirSync(deployments)) {
    if (isAbandoned(kind, name)) await removeTree(join(deployments, name))
  }
}
