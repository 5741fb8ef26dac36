/**
 * A launcher with all behind it that does not depend on the job: it is in its control groups and
 * namespaces, and has a file system for what a job writes mounted there.
 * @module
 */
import type { FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import type { Cgroups, JobGroups } from '../../cgroup/cgroup.ts'
import { hostFolder } from '../../state/host-folder.ts'
import { spareOptions } from './launcher.ts'
import { startSpare, type SpareProcess } from './launcher-process.ts'
import { makeUnnamedStorage } from '../storage/storage-files.ts'

/** What the jobs to come have in common. */
export interface SpareKind {
  namespaces: boolean
  /** The job's root itself becomes "/". */
  pivots: boolean
  /** Where jobs have their folders, when each has a file system of its own. */
  storageFolder?: string
  storageBytes: number
  /** Instead of the folder that all daemons of this host share. */
  shared?: string
}

export interface SpareLauncher extends SpareProcess {
  groups: JobGroups
  /** The file system that it has mounted; without a name on the host. */
  storage?: { file: FileHandle; bytes: number; layer: SpareLayer }
  /** Ends it, and its groups. */
  discard(): Promise<void>
}

/** Paths that only a launcher sees; its own file system is mounted over them. */
export interface SpareLayer {
  folder: string
  upper: string
  work: string
}

// The same for all: each launcher mounts its own there, in namespaces of its own.
const folderName = 'storage'

/** @throws Error when there is no process or group to be had; without a file system it does */
export async function makeSpare(cgroups: Cgroups, kind: SpareKind): Promise<SpareLauncher> {
  const storage = await makeStorage(kind).catch(() => undefined)
  try {
    return startIn(cgroups.create(), kind, storage)
  } catch (error) {
    await storage?.file.close()
    throw error
  }
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
  try {
    const options = spareOptions(kind, storage?.layer)
    const started = startSpare(groups.folders, options, storage?.file.fd)
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
  } catch (error) {
    void groups.remove()
    throw error
  }
}
