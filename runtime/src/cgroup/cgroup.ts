/**
 * A job's control groups: what it may take in all, and a kill that no process of it escapes.
 * @module
 */
import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { ownedName } from '../state/process-tag.ts'
import { delegatedHierarchy } from './delegation.ts'
import { countOomKills, limitGroup, type Group, type GroupLimits } from './limits.ts'
import { hostHierarchies, type Controller, type Hierarchy } from './mounts.ts'
import { abandonedGroups, removeGroups } from './removal.ts'

/** The groups of one job, one in each hierarchy. */
export interface JobGroups {
  /** For the launcher to join. */
  readonly folders: readonly string[]
  limit(limits: GroupLimits): void
  /** How many processes the kernel has killed for want of memory. */
  oomKills(): number
  /** Kills what is in them and removes them. */
  remove(): Promise<void>
}

/** The control groups of this host. */
export interface Cgroups {
  /** Limits that can be set. */
  readonly controllers: ReadonlySet<Controller>
  /** Without limits at first. */
  create(): JobGroups
  /** Ends and removes the groups of processes that are gone. */
  sweep(): Promise<void>
}

export interface CgroupsOptions {
  /** Default those of this host. */
  hierarchies?: readonly Hierarchy[]
  /** Told of groups that could not be removed. */
  onWarning?: (message: string) => void
}

const parent = 'causeway'
const kind = 'job'

/**
 * Opens the hierarchies that this process may make groups in. Ordinary users have only what was
 * delegated to them.
 */
export function openCgroups({
  hierarchies = hostHierarchies(),
  onWarning = () => {},
}: CgroupsOptions = {}): Cgroups {
  const ours = hierarchies.flatMap((hierarchy) => prepared(hierarchy) ?? [])
  const parents = ours.map(({ path }) => join(path, parent))
  return {
    controllers: new Set(ours.flatMap(({ controllers }) => controllers)),
    create() {
      const name = ownedName(kind)
      const groups = createGroups(ours, name)
      const folders = groups.map(({ folder }) => folder)
      return {
        folders,
        limit: (limits) => groups.forEach((group) => limitGroup(group, limits)),
        oomKills: () => Math.max(0, ...groups.map(countOomKills)),
        remove: () => removeGroups(folders, onWarning),
      }
    },
    sweep: () => removeGroups(abandonedGroups(parents, kind), onWarning),
  }
}

/** The hierarchy with a folder above all groups; undefined where we may not make one. */
function prepared(hierarchy: Hierarchy): Hierarchy | undefined {
  if (prepareParent(hierarchy)) return hierarchy
  const delegated = delegatedHierarchy(hierarchy)
  return delegated && prepareParent(delegated) ? delegated : undefined
}

/** Makes the folder above all groups, with the controllers passed down to it. */
function prepareParent({ path, version, controllers }: Hierarchy): boolean {
  const folder = join(path, parent)
  try {
    mkdirSync(folder, { recursive: true })
    // Root's may be there already.
    accessSync(folder, constants.W_OK)
    if (version === 1) return true
    const enable = controllers.map((name) => `+${name}`).join(' ')
    for (const at of enable ? [path, folder] : []) {
      writeFileSync(join(at, 'cgroup.subtree_control'), enable)
    }
    return true
  } catch {
    // Not root, or a container: reported as limits that are not enforced.
    return false
  }
}

/** In all hierarchies, or in none. */
function createGroups(hierarchies: readonly Hierarchy[], name: string): Group[] {
  const groups: Group[] = []
  try {
    for (const hierarchy of hierarchies) groups.push(createGroup(hierarchy, name))
    return groups
  } catch (error) {
    for (const { folder } of groups) rmdirSync(folder)
    throw error
  }
}

function createGroup(hierarchy: Hierarchy, name: string): Group {
  const folder = join(hierarchy.path, parent, name)
  mkdirSync(folder)
  return { folder, hierarchy }
}
