/**
 * The folder of one run: named after the process that owns it, gone when the run ends. What a
 * killed process left is removed by the next one.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { isAlive, processTag } from '../process-alive.ts'

const namePattern = /^run-(\d+-\d+)-[0-9a-f]+$/

/** Creates a folder of our own below `deployments`, entered only by root or its owner. */
export function createRunFolder(deployments: string): string {
  const folder = join(deployments, `run-${processTag()}-${randomBytes(8).toString('hex')}`)
  mkdirSync(folder, { mode: 0o700 })
  return folder
}

/** Removes the folders of runs whose process is gone; their jobs died with it. */
export async function removeStaleRuns(deployments: string): Promise<void> {
  for (const name of readdirSync(deployments)) {
    const owner = namePattern.exec(name)?.[1]
    if (owner !== undefined && !isAlive(owner)) await removeTree(join(deployments, name))
  }
}
