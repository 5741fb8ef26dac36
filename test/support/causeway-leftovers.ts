/**
 * The traces of a run that must not remain on its host.
 * @module
 */
import { existsSync, readFileSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { hostHierarchies } from '../../runtime/src/cgroup/mounts.ts'

export interface Leftovers {
  /** Command lines that contain the state folder or the token. */
  processes: string[]
  mounts: string[]
  loopDevices: string[]
  /** Pids in that daemon's control groups. */
  inGroups: number[]
}

export const nothing: Leftovers = { processes: [], mounts: [], loopDevices: [], inGroups: [] }

/**
 * Looks for such traces.
 * @param state folder that no other test uses
 * @param token a word that only processes of the job have among their arguments
 * @param daemon pid of the daemon
 */
export function leftovers(state: string, token: string, daemon: number): Leftovers {
  return {
    processes: commandLines().filter((line) => line.includes(state) || line.includes(token)),
    mounts: read('/proc/self/mountinfo')
      .split('\n')
      .filter((line) => line.includes(state)),
    loopDevices: readdirSync('/sys/block').filter((name) =>
      read(`/sys/block/${name}/loop/backing_file`).includes(state),
    ),
    inGroups: groupsOf(daemon).flatMap((group) =>
      read(join(group, 'cgroup.procs')).split('\n').filter(Boolean).map(Number),
    ),
  }
}

/** Control groups made by a daemon. */
export function groupsOf(daemon: number): string[] {
  return hostHierarchies()
    .map(({ path }) => join(path, 'causeway'))
    .filter((folder) => existsSync(folder))
    .flatMap((folder) => readdirSync(folder).map((name) => join(folder, name)))
    .filter((path) => path.includes(`-${daemon}-`))
}

/** Looks repeatedly for at most a second; returns the traces that are still there. */
export async function leftAfterSecond(...where: Parameters<typeof leftovers>): Promise<Leftovers> {
  const end = performance.now() + 1_000
  for (;;) {
    const left = leftovers(...where)
    const isNone = Object.values(left).every((some: readonly unknown[]) => some.length === 0)
    if (isNone || performance.now() > end) return left
    await pause(5)
  }
}

function commandLines(): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => read(`/proc/${pid}/cmdline`).replaceAll('\0', ' '))
}

/** Empty for a missing file. */
function read(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
