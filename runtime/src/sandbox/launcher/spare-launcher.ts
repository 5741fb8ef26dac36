/**
 * A launcher that has already done everything that does not depend on the job: it is in its control
 * groups and namespaces, and has mounted a file system for what a job writes.
 * @module
 */
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { orUndo, orUndoNow } from '@causeway/service/failure'
import type { Cgroups, JobGroups } from '../../cgroup/cgroup.ts'
import { hostFolder } from '../../state/host-folder.ts'
import { spareOptions } from './launcher.ts'
import { startSpare, type SpareProcess } from './launcher-process.ts'
import { makeUnnamedStorage } from '../storage/storage-files.ts'

/** What the next jobs have in common. */
export interface SpareKind {
  namespaces: boolean
  /** Whether the job's root itself becomes "/". */
  pivots: boolean
  /** Folder of the jobs' folders; absent when jobs get no file system of their own. */
  storageFolder?: string
  storageBytes: number
  /** Replaces the folder that all daemons of this host share. */
  shared?: string
}

export interface SpareLauncher extends SpareProcess {
  groups: JobGroups
  /** The file system that the launcher has mounted; its file has no name on the host. */
  storage?: { file: FileHandle; bytes: number; layer: SpareLayer }
  /** Ends the launcher, and removes its groups. */
  discard(): Promise<void>
}

/** Paths in a launcher's own mount namespace, where it mounts its file system. */
export interface SpareLayer {
  folder: string
  upper: string
  work: string
}

// All launchers use the same path, each in its own mount namespace.
const folderName = 'storage'

/** @throws Error when no process or control group can be made; a file system is not required */
export async function makeSpare(cgroups: Cgroups, kind: SpareKind): Promise<SpareLauncher> {
  const storage = await makeStorage(kind).catch(() => undefined)
  return orUndo(
    () => startIn(cgroups.create(), kind, storage),
    () => storage?.file.close(),
  )
}

async function makeStorage({ storageFolder, storageBytes: bytes, shared }: SpareKind) {
  if (storageFolder === undefined) return undefined
  const folder = hostFolder(folderName, shared)
  const layer = { folder, upper: join(folder, 'upper'), work: join(folder, 'work') }
  return { file: await makeUnnamedStorage(storageFolder, bytes), bytes, layer }
}

function startIn(
  groups: JobGroups,
  kind: SpareKind,
  storage: SpareLauncher['storage'],
): SpareLauncher {
  const options = spareOptions(kind, storage?.layer)
  const started = orUndoNow(
    () => startSpare(groups.folders, options, storage?.file.fd),
    () => void groups.remove(),
  )
  return {
    ...started,
    groups,
    ...(storage && { storage }),
    async discard() {
      started.launcher.discard()
      await storage?.file.close()
      await groups.remove()
    },
  }
}
