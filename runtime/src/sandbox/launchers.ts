/**
 * Launchers with their control groups: one is kept ready, because moving a process between groups
 * takes the kernel ten milliseconds and more.
 * @module
 */
import type { Cgroups, GroupLimits, JobGroups } from './cgroup.ts'
import { startLauncher, startSpare, useSpare, type LauncherProcess } from './launcher-process.ts'

export interface Launchers {
  /** A launcher that does what the options say, in groups with these limits. */
  take(options: readonly string[], limits: GroupLimits): StartedLauncher
  /** Keeps one ready from now on. */
  keepSpare(): void
  /** Gives up the one that is ready. */
  close(): Promise<void>
}

export interface StartedLauncher {
  launcher: LauncherProcess
  groups: JobGroups
}

// Starting the next one would keep this job waiting.
const refillAfterMs = 100

export function createLaunchers(cgroups: Cgroups): Launchers {
  let spare: StartedLauncher | undefined
  let isKeeping = false

  function makeSpare(): void {
    if (!isKeeping || spare) return
    try {
      spare = startOne()
    } catch {
      // No process or group to be had now: the next job starts a launcher of its own, or says why not.
    }
  }

  function startOne(): StartedLauncher {
    const groups = cgroups.create()
    try {
      const made = { launcher: startSpare(groups.folders), groups }
      const giveUp = () => void forget(made)
      // Killed by somebody, or never started.
      made.launcher.child.once('exit', giveUp).once('error', giveUp)
      made.launcher.control.once('close', giveUp)
      return made
    } catch (error) {
      void groups.remove()
      throw error
    }
  }

  async function forget(made: StartedLauncher): Promise<void> {
    if (spare !== made) return
    spare = undefined
    made.launcher.discard()
    await made.groups.remove()
  }

  return {
    take(options, limits) {
      const ready = spare
      spare = undefined
      if (isKeeping) setTimeout(makeSpare, refillAfterMs).unref()
      const groups = ready?.groups ?? cgroups.create()
      try {
        groups.limit(limits)
        if (!ready) return { launcher: startLauncher(groups.folders, options), groups }
        useSpare(ready.launcher, options)
        return ready
      } catch (error) {
        ready?.launcher.discard()
        void groups.remove()
        throw error
      }
    },
    keepSpare() {
      isKeeping = true
      makeSpare()
    },
    async close() {
      isKeeping = false
      if (spare) await forget(spare)
    },
  }
}
