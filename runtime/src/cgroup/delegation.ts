/**
 * The control group that an ordinary user's daemon is in, where systemd (`Delegate=yes` of a unit
 * of the user's manager) or another owner has delegated that group to the user.
 * @module
 */
import { accessSync, constants, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRoot } from '../state/state-folders.ts'
import { enabledControllers, type Hierarchy } from './mounts.ts'

// Group of the daemon itself, beside the groups of its jobs.
const hostGroup = 'causeway-host'

/** The hierarchy below our own group; undefined for root, and where the group is not delegated. */
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
    // Another user owns the group or its files: the caller reports limits that are not enforced.
    return undefined
  }
}

/** Folder of the group that we are in, or were in before `makeRoom`. */
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
 * Moves this process into a group below: version 2 limits groups only below one without processes.
 * @throws Error when other processes, which we may not move, are in the group
 */
function makeRoom(own: string): void {
  const pids = readFileSync(join(own, 'cgroup.procs'), 'utf8').split('\n').filter(Boolean)
  if (pids.some((pid) => Number(pid) !== process.pid)) throw new Error(`${own}: others are in it`)
  const host = join(own, hostGroup)
  mkdirSync(host, { recursive: true })
  writeFileSync(join(host, 'cgroup.procs'), String(process.pid))
}
