/**
 * Launchers with their control groups, one of them kept ready.
 *
 * The kernel takes 10 ms or more to move a process between groups, and making a file system for
 * what a job writes takes another 10: the spare launcher has already done both.
 * @module
 */
import type { FileHandle } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { linkFd } from '@causeway/native/process'
import { orUndo } from '@causeway/service/failure'
import type { Cgroups, JobGroups } from '../../cgroup/cgroup.ts'
import { startLauncher, type LauncherProcess } from './launcher-process.ts'
import type { JobLimits } from '../limits.ts'
import { makeSpare, type SpareKind, type SpareLauncher, type SpareLayer } from './spare-launcher.ts'
import { makeStorageFile } from '../storage/storage-files.ts'

export interface Launchers {
  /**
   * Prepares a job's launcher: control groups with these limits, and a file system.
   * @param storageFile file system image for what the job writes; made when it does not exist
   */
  take(limits: JobLimits, storageFile?: string): Promise<PreparedLauncher>
  /** Like `take`, but with the spare launcher; undefined when there is none. */
  takeReady(limits: JobLimits, storageFile?: string): Promise<PreparedLauncher | undefined>
  /** Keeps a spare ready from now on. Its file system has the size that was last requested. */
  keepSpare(kind: SpareKind): void
  /** Ends the spare, and makes no more. */
  close(): Promise<void>
}

export interface PreparedLauncher {
  groups: JobGroups
  /** Paths of the job's file system, if the launcher has already mounted it. */
  layer?: SpareLayer
  /** Starts the launcher, or sends the options to the spare. */
  start: (options: readonly string[]) => LauncherProcess
  /** Ends the spare that was taken, and removes the groups. */
  giveUp: () => Promise<void>
}

export function createLaunchers(cgroups: Cgroups): Launchers {
  const spares = createSpares(cgroups)
  return {
    take: (limits, storageFile) => prepare(cgroups.create(), { limits, storageFile }),
    async takeReady(limits, storageFile) {
      const ready = spares.take(limits)
      if (!ready) return undefined
      return prepare(ready.groups, { limits, storageFile, ready }).finally(() => {
        // Not waited for: the launcher has its own descriptor.
        ready.storage?.file.close().catch(() => {})
      })
    },
    keepSpare: (kind) => spares.keep(kind),
    close: () => spares.close(),
  }
}

interface Wanted {
  limits: JobLimits
  storageFile: string | undefined
  ready?: SpareLauncher
}

async function prepare(
  groups: JobGroups,
  { limits, storageFile, ready }: Wanted,
): Promise<PreparedLauncher> {
  const giveUp = async () => {
    ready?.launcher.discard()
    await groups.remove()
  }
  const make = async () => {
    groups.limit(limits)
    const layer = await provide(storageFile, limits, ready?.storage)
    const start = (options: readonly string[]) =>
      ready ? ready.tell(options) : startLauncher(groups.folders, options)
    return { groups, ...(layer && { layer }), start, giveUp }
  }
  return orUndo(make, giveUp)
}

// Starting the next spare at once would delay this job.
const refillAfterMs = 100

/** Keeps at most one spare. */
function createSpares(cgroups: Cgroups) {
  let spare: SpareLauncher | undefined
  let kept: SpareKind | undefined
  let making: Promise<void> | undefined

  function refill(): void {
    if (!kept || spare || making) return
    making = makeSpare(cgroups, kept)
      .then(keep)
      // No process, group or disk space is free: the next job starts its own, or reports why not.
      .catch(() => {})
      .finally(() => (making = undefined))
  }

  async function keep(made: SpareLauncher): Promise<void> {
    if (!kept) return made.discard()
    const forget = () => {
      if (spare !== made) return
      spare = undefined
      void made.discard()
    }
    // The launcher was killed, or never started.
    made.launcher.child.once('exit', forget).once('error', forget)
    made.launcher.control.once('close', forget)
    spare = made
  }

  return {
    take({ storageBytes }: JobLimits): SpareLauncher | undefined {
      const ready = spare
      spare = undefined
      if (kept) {
        kept = { ...kept, storageBytes }
        setTimeout(refill, refillAfterMs).unref()
      }
      return ready
    },
    keep(kind: SpareKind): void {
      kept = kind
      refill()
    },
    async close(): Promise<void> {
      kept = undefined
      await making
      const last = spare
      spare = undefined
      await last?.discard()
    },
  }
}

/** @returns where the spare has mounted the file at `path`; undefined when it has not */
async function provide(
  path: string | undefined,
  { storageBytes }: JobLimits,
  mounted: SpareLauncher['storage'],
): Promise<SpareLayer | undefined> {
  if (path === undefined || existsSync(path)) return undefined
  if (mounted?.bytes === storageBytes && canLink(mounted.file, path)) return mounted.layer
  await makeStorageFile(path, storageBytes)
  return undefined
}

function canLink({ fd }: FileHandle, path: string): boolean {
  try {
    linkFd(fd, path)
    return true
  } catch {
    // The folder is on another mount, or the disk is full: making the file there gives the reason.
    return false
  }
}
