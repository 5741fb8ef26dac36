/** Sets the limits of one control group, in either version. @module */
import { existsSync, readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { readOrEmpty } from '@causeway/service/failure'
import type { Hierarchy } from './mounts.ts'

/** Limits of a job's groups. */
export interface GroupLimits {
  memoryBytes: number
  processes: number
}

export interface Group {
  folder: string
  hierarchy: Hierarchy
}

/** Most processes and threads of the whole host. */
export function tasksOfHost(): number {
  const most = ['pid_max', 'threads-max'].map((name) =>
    Number(readFileSync(`/proc/sys/kernel/${name}`, 'utf8')),
  )
  return Math.min(...most)
}

/** Most processes and threads of all jobs together, however many jobs: half of the host's. */
export function tasksOfJobs(ofHost = tasksOfHost()): number {
  return Math.floor(ofHost / 2)
}

/** Sets the limits of the group above those of all jobs. */
export function limitAllJobs({ folder, hierarchy }: Group): void {
  const file = join(folder, 'pids.max')
  if (hierarchy.controllers.includes('pids') && existsSync(file)) {
    writeFileSync(file, String(tasksOfJobs()))
  }
}

/** Sets the limits that the group's hierarchy supports. */
export function limitGroup({ folder, hierarchy }: Group, limits: GroupLimits): void {
  const set = (file: string, value: string | number) => {
    // Which files exist depends on the kernel's options (swap accounting).
    if (existsSync(join(folder, file))) writeFileSync(join(folder, file), String(value))
  }
  if (hierarchy.controllers.includes('memory')) limitMemory(hierarchy, limits.memoryBytes, set)
  // One more, because the launcher is in the group, too.
  if (hierarchy.controllers.includes('pids')) set('pids.max', limits.processes + 1)
  if (hierarchy.controllers.includes('hugetlb')) refuseHugePages(folder)
}

// hugetlb.2MB.max and hugetlb.2MB.rsvd.max; version 1 calls them hugetlb.2MB.limit_in_bytes and so on.
const limitOfHugePages = /^hugetlb\.\w+\.(?:rsvd\.)?(?:max|limit_in_bytes)$/

/** Huge pages are set aside for the whole host, and do not count as memory of a group. */
function refuseHugePages(folder: string): void {
  const files = readdirSync(folder).filter((name) => limitOfHugePages.test(name))
  for (const file of files) writeFileSync(join(folder, file), '0')
}

/**
 * What a job's TCP and UDP sockets may hold: version 1 counts that apart from other memory, and only
 * where it has a limit. Version 2 counts it with the rest. Senders over the limit wait.
 */
function bytesOfSockets(memoryBytes: number): number {
  // From the first figure on, the kernel takes buffers away from all connections of the host. A page
  // has at least 4096 bytes. A container may lack the file.
  const [pages] = readOrEmpty('/proc/sys/net/ipv4/tcp_mem').split('\t')
  return Math.floor(Math.min(memoryBytes / 4, pages ? (Number(pages) * 4096) / 2 : Infinity))
}

function limitMemory(
  { version }: Hierarchy,
  bytes: number,
  set: (file: string, value: string | number) => void,
): void {
  if (version === 1) {
    set('memory.limit_in_bytes', bytes)
    set('memory.memsw.limit_in_bytes', bytes)
    set('memory.kmem.tcp.limit_in_bytes', bytesOfSockets(bytes))
    return
  }
  set('memory.max', bytes)
  set('memory.swap.max', 0)
  // The kernel kills the whole group: half a job is useless, and might be only its tracer.
  set('memory.oom.group', 1)
}

/** How many processes of the group the kernel has killed for lack of memory. */
export function countOomKills({ folder, hierarchy }: Group): number {
  if (!hierarchy.controllers.includes('memory')) return 0
  const file = hierarchy.version === 1 ? 'memory.oom_control' : 'memory.events'
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? 0)
}
