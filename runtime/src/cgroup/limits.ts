/**
 * What one control group may take, in either version.
 * @module
 */
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Hierarchy } from './mounts.ts'

/** What a job's groups may take. */
export interface GroupLimits {
  memoryBytes: number
  processes: number
}

export interface Group {
  folder: string
  hierarchy: Hierarchy
}

/** Sets those that the group's hierarchy knows. */
export function limitGroup({ folder, hierarchy }: Group, limits: GroupLimits): void {
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

/** How many processes in it the kernel has killed for want of memory. */
export function countOomKills({ folder, hierarchy }: Group): number {
  if (!hierarchy.controllers.includes('memory')) return 0
  const file = hierarchy.version === 1 ? 'memory.oom_control' : 'memory.events'
  return Number(/^oom_kill (\d+)$/m.exec(readFileSync(join(folder, file), 'utf8'))?.[1] ?? 0)
}
