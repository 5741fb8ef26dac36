/**
 * A job's control groups: they limit the job as a whole, and a kill of them misses no process.
 * @module
 */
import { accessSync, constants, mkdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { orUndoNow } from '@causeway/service/failure'
import { ownedName } from '../state/process-tag.ts'
import { delegatedHierarchy } from './delegation.ts'
import { countOomKills, limitAllJobs, limitGroup, type Group, type GroupLimits } from './limits.ts'
import { hostHierarchies, type Controller, type Hierarchy } from './mounts.ts'
import { abandonedGroups, removeGroups } from './removal.ts'

/** The groups of one job, one in each hierarchy. */
export interface JobGroups {
  /** Folders of the groups, for the launcher to join. */
  readonly folders: readonly string[]
  limit(limits: GroupLimits): void
  /** How many processes the kernel has killed for lack of memory. */
  oomKills(): number
  /** Kills all processes in the groups, and removes the groups. */
  remove(): Promise<void>
}

/** The control groups of this host. */
export interface Cgroups {
  /** Controllers whose limits can be set. */
  readonly controllers: ReadonlySet<Controller>
  /** Controllers of this host, also those whose limits this process may not set. */
  readonly offered: ReadonlySet<Controller>
  /** Makes the groups of one job, without limits at first. */
  create(): JobGroups
  /** Kills and removes the groups that dead daemons have left. */
  sweep(): Promise<void>
}

export interface CgroupsOptions {
  /** Default: those of this host. */
  hierarchies?: readonly Hierarchy[]
  /** Called with the groups that could not be removed. */
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
    offered: new Set(hierarchies.flatMap(({ controllers }) => controllers)),
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

/** A hierarchy in which we could make the folder above all groups; undefined where we may not. */
function prepared(hierarchy: Hierarchy): Hierarchy | undefined {
  if (prepareParent(hierarchy)) return hierarchy
  const delegated = delegatedHierarchy(hierarchy)
  return delegated && prepareParent(delegated) ? delegated : undefined
}

/** Makes the folder above all groups, enables the controllers in it, and limits it. */
function prepareParent(hierarchy: Hierarchy): boolean {
  const { path, version, controllers } = hierarchy
  const folder = join(path, parent)
  try {
    mkdirSync(folder, { recursive: true })
    // The folder may already be there and belong to root.
    accessSync(folder, constants.W_OK)
    const enable = version === 1 ? '' : controllers.map((name) => `+${name}`).join(' ')
    for (const at of enable ? [path, folder] : []) {
      writeFileSync(join(at, 'cgroup.subtree_control'), enable)
    }
    limitAllJobs({ folder, hierarchy })
    return true
  } catch {
    // Not root, or a container: the caller reports limits that are not enforced.
    return false
  }
}

/** Makes a job's group in all hierarchies, or in none. */
function createGroups(hierarchies: readonly Hierarchy[], name: string): Group[] {
  const groups: Group[] = []
  orUndoNow(
    () => hierarchies.forEach((hierarchy) => groups.push(createGroup(hierarchy, name))),
    () => groups.forEach(({ folder }) => rmdirSync(folder)),
  )
  return groups
}

function createGroup(hierarchy: Hierarchy, name: string): Group {
  const folder = join(hierarchy.path, parent, name)
  mkdirSync(folder)
  return { folder, hierarchy }
}
