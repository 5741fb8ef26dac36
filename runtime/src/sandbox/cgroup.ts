/**
 * A job's control groups: what it may take in all, and a kill that no process of it escapes.
 * @module
 */
import { randomBytes } from 'node:crypto'
import {
  accessSync,
  constants,
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  rmdirSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAlive, processTag } from '../process-alive.ts'
import { hostHierarchies, type Controller, type Hierarchy } from './cgroup-mounts.ts'

/** What a group may take. */
export interface GroupLimits {
  memoryBytes: number
  processes: number
}

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

const parent = 'causeway'

/** Opens the hierarchies that this process may make groups in; none for ordinary users. */
export function openCgroups(hierarchies: readonly Hierarchy[] = hostHierarchies()): Cgroups {
  const ours = hierarchies.filter(prepareParent)
  return {
    controllers: new Set(ours.flatMap(({ controllers }) => controllers)),
    create() {
      const name = `job-${pidNamespace()}-${processTag()}-${randomBytes(6).toString('hex')}`
      const groups = ours.map((hierarchy) => createGroup(hierarchy, name))
      return {
        folders: groups.map(({ folder }) => folder),
        limit: (limits) => groups.forEach((group) => limitGroup(group, limits)),
        oomKills: () => Math.max(0, ...groups.map(countOomKills)),
        remove: async () => void (await Promise.all(groups.map(removeGroup))),
      }
    },
    sweep: async () => void (await Promise.all(ours.map(sweepHierarchy))),
  }
}

interface Group {
  folder: string
  hierarchy: Hierarchy
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

function createGroup(hierarchy: Hierarchy, name: string): Group {
  const folder = join(hierarchy.path, parent, name)
  mkdirSync(folder)
  return { folder, hierarchy }
}

function limitGroup({ folder, hierarchy }: Group, limits: GroupLimits): void {
  const set = (file: string, value: string | number) => {
    // Which of them there are depends on the kernel's options (swap accounting).
    if (existsSync(join(folder, file))) writeFileSync(join(folder, file), String(value))
  }
  if (hierarchy.controllers.includes('memory')) limitMemory(hierarchy, limits.memoryBytes, set)
  // The launcher is in it, too.
  if (hierarchy.controllers.includes('pids')) set('pids.max', limits.processes + 1)
}

function limitMemory(
  { version }: Hierarchy,
  bytes: number,
  set: (file: string, value: string | number) => void,
): void {
  if (version === 1) {
    set('memory.limit_in_bytes', bytes)
    set('memory.memsw.limit_in_bytes', bytes)
    return
  }
  set('memory.max', bytes)
  set('memory.swap.max', 0)
  // Half a job is of no use, and its tracer might be the half that is left.
  set('memory.oom.group', 1)
}

function countOomKills({ folder, hierarchy }: Group): number {
  if (!hierarchy.controllers.includes('memory')) return 0
  const file = hierarchy.version === 1 ? 'memory.oom_control' : 'memory.events'
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? 0)
}

// In all some seconds: what was killed may be in the middle of a long write.
const attempts = 200
const pauseMs = 10

async function removeGroup({ folder }: Group): Promise<void> {
  for (let attempt = 0; attempt < attempts; attempt++) {
    killAll(folder)
    if (tryRemove(folder)) return
    await pause(pauseMs)
  }
}

/** At once where the kernel can (5.14), else one by one, again and again. */
function killAll(folder: string): void {
  const killFile = join(folder, 'cgroup.kill')
  try {
    if (existsSync(killFile)) return writeFileSync(killFile, '1')
    for (const pid of readFileSync(join(folder, 'cgroup.procs'), 'utf8').split('\n')) {
      // 0: a process of another PID namespace above ours, which no group of ours has.
      if (Number(pid) > 0) process.kill(Number(pid), 'SIGKILL')
    }
  } catch {
    // The group or a process of it is gone; the next round sees what is left.
  }
}

/** @returns whether it is gone */
function tryRemove(folder: string): boolean {
  try {
    rmdirSync(folder)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT'
  }
}

const namePattern = /^job-(\d+)-(\d+-\d+)-[0-9a-f]+$/

async function sweepHierarchy(hierarchy: Hierarchy): Promise<void> {
  const above = join(hierarchy.path, parent)
  for (const name of readdirSync(above)) {
    const [, namespace, owner] = namePattern.exec(name) ?? []
    // In a container as many pids are to be seen as it has itself; the groups are the host's.
    if (owner === undefined || namespace !== pidNamespace() || isAlive(owner)) continue
    await removeGroup({ folder: join(above, name), hierarchy })
  }
}

/** Inode of this process's PID namespace, in which pids mean something. */
function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
}
