/**
 * The control group that an ordinary user's daemon is in, where that was given to its user: by
 * systemd (`Delegate=yes` of a unit of the user's manager), or by whoever made it.
 *
 * A control group of version 2 that has processes of its own passes no limits on. So the daemon moves
 * itself to `causeway-host` in it.
 * @module
 */
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRoot } from '../state/state-folders.ts'
import { enabledControllers, type Hierarchy } from './mounts.ts'

// Of the daemon itself, beside the groups of its jobs.
const hostGroup = 'causeway-host'

/** The same hierarchy from our own group on; undefined for root, and where it is not ours. */
export function delegatedHierarchy(hierarchy: Hierarchy): Hierarchy | undefined {
  if (isRoot()) return undefined
  try {
    const own = ownGroup(hierarchy)
    if (own === undefined) return undefined
    accessSync(own, constants.W_OK)
    if (hierarchy.version === 1) return { ...hierarchy, path: own }
    makeRoom(own)
    return { ...hierarchy, path: own, controllers: enabledControllers(own) }
  } catch {
    // Somebody else's, or its files are: reported as limits that are not enforced.
    return undefined
  }
}

/** Folder of the group that we are in, or were before we made room. */
function ownGroup({ path, version, controllers }: Hierarchy): string | undefined {
  for (const line of readFileSync('/proc/self/cgroup', 'utf8').split('\n')) {
    const [, number, names = '', group = ''] = /^(\d+):([^:]*):(\/.*)$/.exec(line) ?? []
    const isThis =
      version === 2 ? number === '0' : names.split(',').some((name) => name === controllers[0])
    if (!isThis) continue
    const own = join(path, group)
    return own.endsWith(`/${hostGroup}`) ? dirname(own) : own
  }
  return undefined
}

/**
 * Version 2 gives limits to the groups in a group that has no processes itself: so we move.
 * @throws Error when others are in it, who are not ours to move
 */
function makeRoom(own: string): void {
  const pids = readFileSync(join(own, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
  if (pids.some((pid) => Number(pid) !== process.pid)) throw new Error(`${own}: has others in it`)
  const host = join(own, hostGroup)
  mkdirSync(host, { recursive: true })
  writeFileSync(join(host, 'cgroup.procs'), String(process.pid))
}
