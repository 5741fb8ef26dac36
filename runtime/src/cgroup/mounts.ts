/** Finds the control group hierarchies of this host, of either version. @module */
import { join } from 'node:path'
import { readOrEmpty } from '@causeway/service/failure'

/** A hierarchy in which we can make groups. */
export interface Hierarchy {
  /** Its mount point, or our own group in it. */
  path: string
  version: 1 | 2
  /** Controllers whose limits it can set. */
  controllers: readonly Controller[]
}

// cpu: however many processes a job has, together they get the CPU time of one group.
const controllers = ['memory', 'pids', 'cpu', 'hugetlb'] as const
export type Controller = (typeof controllers)[number]

/**
 * The useful hierarchies: version 2, even without controllers (it can kill a whole group at once),
 * and those of version 1 with a controller of ours.
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

/** Keeps one mount of each hierarchy, which may have several, for example for a chroot. */
function firstOfEach(found: readonly Hierarchy[]): Hierarchy[] {
  const byKind = new Map<string, Hierarchy>()
  for (const hierarchy of found) {
    const kind = hierarchy.version === 2 ? '2' : hierarchy.controllers.join()
    if (!byKind.has(kind)) byKind.set(kind, hierarchy)
  }
  return [...byKind.values()]
}

/** {@link findHierarchies} for this host. */
export function hostHierarchies(): Hierarchy[] {
  return findHierarchies(readOrEmpty('/proc/self/mounts'), readOrEmpty)
}

/** Controllers that a group of version 2 can enable for the groups below it. */
export function enabledControllers(
  group: string,
  read: (path: string) => string = readOrEmpty,
): Controller[] {
  return known(read(join(group, 'cgroup.controllers')), ' ')
}

function known(text: string, separator: string): Controller[] {
  const names = new Set(text.trim().split(separator))
  return controllers.filter((name) => names.has(name))
}
