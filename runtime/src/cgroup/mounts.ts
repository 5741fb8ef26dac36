/**
 * Where control groups of this host are, of either version.
 * @module
 */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/** A hierarchy that can hold groups of ours. */
export interface Hierarchy {
  /** Its mount point, or the group in it that is ours. */
  path: string
  version: 1 | 2
  /** Limits that it can set. */
  controllers: readonly Controller[]
}

// cpu: within a group all processes of a job share what one group gets, however many they are.
const controllers = ['memory', 'pids', 'cpu'] as const
export type Controller = (typeof controllers)[number]

/**
 * The hierarchies that are of use: version 2, even without controllers (it can kill a group as
 * one), and those of version 1 with a controller of ours.
 * @param mounts content of /proc/self/mounts
 */
export function findHierarchies(mounts: string, read: (path: string) => string): Hierarchy[] {
  const found = mounts.split('\n').flatMap((line): Hierarchy[] => {
    const [, path = '', type, options = ''] = line.split(' ')
    if (type === 'cgroup2') {
      return [{ path, version: 2, controllers: enabledControllers(path, read) }]
    }
    return type === 'cgroup' ? [{ path, version: 1, controllers: known(options, ',') }] : []
  })
  return firstOfEach(
    found.filter(({ version, controllers: has }) => version === 2 || has.length > 0),
  )
}

/** A hierarchy may be mounted in several places, as for a chroot; it is one all the same. */
function firstOfEach(found: readonly Hierarchy[]): Hierarchy[] {
  const byKind = new Map<string, Hierarchy>()
  for (const hierarchy of found) {
    const kind = hierarchy.version === 2 ? '2' : hierarchy.controllers.join()
    if (!byKind.has(kind)) byKind.set(kind, hierarchy)
  }
  return [...byKind.values()]
}

/** As {@link findHierarchies}, of this host. */
export function hostHierarchies(): Hierarchy[] {
  return findHierarchies(readText('/proc/self/mounts'), readText)
}

/** What a group of version 2 can limit in the groups below it. */
export function enabledControllers(
  group: string,
  read: (path: string) => string = readText,
): Controller[] {
  return known(read(join(group, 'cgroup.controllers')), ' ')
}

function known(text: string, separator: string): Controller[] {
  const names = new Set(text.trim().split(separator))
  return controllers.filter((name) => names.has(name))
}

/** @returns nothing for a file that is not there */
function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
