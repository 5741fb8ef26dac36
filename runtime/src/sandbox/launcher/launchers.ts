/**
 * Launchers with their control groups.
 *
 * Moving a process between groups takes the kernel ten milliseconds and more, a file system for what
 * a job writes another ten: so a launcher that has both behind it is kept ready.
 * @module
 */
import type { FileHandle } from 'node:fs/promises'
import { existsSync } from 'node:fs'
import { linkFd } from '@causeway/native'
import type { Cgroups, JobGroups } from '../../cgroup/cgroup.ts'
import { startLauncher, type LauncherProcess } from './launcher-process.ts'
import type { JobLimits } from '../limits.ts'
import { makeSpare, type SpareKind, type SpareLauncher, type SpareLayer } from './spare-launcher.ts'
import { makeStorageFile } from '../storage/storage-files.ts'

export interface Launchers {
  /**
   * What a job's launcher needs: groups with these limits, and a file system.
   * @param storageFile for what the job writes; one that is not there yet is made
   */
  take(limits: JobLimits, storageFile?: string): Promise<PreparedLauncher>
  /** The same with the launcher that is ready; undefined when there is none. */
  takeReady(limits: JobLimits, storageFile?: string): Promise<PreparedLauncher | undefined>
  /** Keeps one ready from now on; its file system is as large as that which was last asked for. */
  keepSpare(kind: SpareKind): void
  /** Gives up the one that is ready. */
  close(): Promise<void>
}

export interface PreparedLauncher {
  groups: JobGroups
  /** Where the launcher has mounted the job's file system already. */
  layer?: SpareLayer
  /** Starts it, or tells the one that is ready. */
  start: (options: readonly string[]) => LauncherProcess
  /** Ends the one that was ready, and the groups. */
  giveUp: () => Promise<void>
}

export function createLaunchers(cgroups: Cgroups): Launchers {
  const spares = createSpares(cgroups)
  return {
    take: (limits, storageFile) => prepare(cgroups.create(), { limits, storageFile }),
    async takeReady(limits, storageFile) {
      const ready = spares.take(limits)
      if (!ready) return undefined
      try {
        return await prepare(ready.groups, { limits, storageFile, ready })
      } finally {
        // Not waited for: the launcher has its own descriptor.
        ready.storage?.file.close().catch(() => {})
      }
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
  try {
    groups.limit(limits)
    const layer = await provide(storageFile, limits, ready?.storage)
    const start = (options: readonly string[]) =>
      ready ? ready.tell(options) : startLauncher(groups.folders, options)
    return { groups, ...(layer && { layer }), start, giveUp }
  } catch (error) {
    await giveUp()
    throw error
  }
}

// Starting the next one would keep this job waiting.
const refillAfterMs = 100

/** At most one is ready. */
function createSpares(cgroups: Cgroups) {
  let spare: SpareLauncher | undefined
  let kept: SpareKind | undefined
  let making: Promise<void> | undefined

  function refill(): void {
    if (!kept || spare || making) return
    making = makeSpare(cgroups, kept)
      .then(keep)
      // No process, group or space to be had now: the next job makes its own, or says why not.
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
    // Killed by somebody, or never started.
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

/** @returns where it is mounted already */
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
    // On another mount than all the others, or there is no room; then it is told there.
    return false
  }
}
