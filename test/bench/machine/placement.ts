/**
 * Pins servers and clients: each to a core of its own, with priority over all other work. Without
 * that, a busy machine would distort the figures.
 * @module
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostHierarchies } from '../../../runtime/src/cgroup/mounts.ts'
import { descendantsOf } from './process-tree.ts'

export interface Placement {
  /** Prefix of a server's command; empty when the machine does not allow it. */
  server: readonly string[]
  /** Prefix of a load client's command. */
  client: readonly string[]
  /** Moves a server's child to the clients' core: a job that is the load on its own bridge. */
  moveJob(serverPid: number): void
  /** Printed with every figure when nothing is pinned. */
  remark?: string
}

// Round robin, not FIFO, which would never let Node's compiler threads run.
const server = ['chrt', '-r', '20', 'taskset', '-c', '0']
const client = ['chrt', '-f', '20', 'taskset', '-c', '1']

/** Determined by trying: it needs privileges and two cores. */
export function findPlacement(): Placement {
  if (works([...server, 'true']) && works([...client, 'true'])) return { server, client, moveJob }
  const remark = 'not pinned to cores (it takes root and two of them): trust CPU per call first'
  return { server: [], client: [], moveJob: () => {}, remark }
}

function moveJob(serverPid: number): void {
  for (const pid of descendantsOf(serverPid).map(String)) {
    leaveCpuGroups(pid)
    if (
      !works(['taskset', '-a', '-p', '-c', '1', pid]) ||
      !works(['chrt', '-a', '-f', '-p', '20', pid])
    )
      throw new Error(`process ${pid} of the job could not be placed`)
  }
}

/** The process's control group may have no real-time share (CONFIG_RT_GROUP_SCHED). */
function leaveCpuGroups(pid: string): void {
  const hierarchies = hostHierarchies().filter(({ version }) => version === 1)
  for (const { path, controllers } of hierarchies) {
    if (controllers.includes('cpu')) writeFileSync(join(path, 'cgroup.procs'), pid)
  }
}

function works([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
