/**
 * Makes the folders of one job beside its root, as far as its view of the file system needs them,
 * and finds our own programs for it.
 * @module
 */
import { chmodSync, chownSync, mkdirSync } from 'node:fs'
import { join } from 'node:path'
import { reachable } from './guest-programs.ts'
import type { Bind } from '../launcher/launcher.ts'
import type { Layers } from '../layers.ts'
import type { JobPaths } from './guest-view.ts'

export interface JobPathsOptions {
  /** Folder of the execution. */
  folder: string
  /** Host path of the job's root. */
  root: string
  helpers: readonly Bind[]
  /** Owner of the shared memory. */
  uid: number
  layers: Layers
  /** Emulator for programs of another machine. */
  emulator?: string
}

/** Makes the folders; existing ones stay. */
export function prepareJobPaths({
  folder,
  root,
  helpers,
  uid,
  layers,
  emulator,
}: JobPathsOptions): JobPaths {
  const [stage, shm, empty] = [join(folder, 'stage'), join(folder, 'shm'), join(folder, 'empty')]
  if (layers.namespaces) mkdirSync(stage, { recursive: true })
  else makeShared(shm, layers.ownIds ? uid : undefined)
  if (emulator !== undefined) makeOpen(empty)
  return { root, stage, shm, empty, helpers: reachable(helpers, folder, layers) }
}

/** Like /dev/shm: all of the job's users may write to it. */
function makeShared(path: string, owner: number | undefined): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o1777)
  if (owner !== undefined) chownSync(path, owner, owner)
}

function makeOpen(path: string): void {
  mkdirSync(path, { recursive: true })
  chmodSync(path, 0o755)
}
