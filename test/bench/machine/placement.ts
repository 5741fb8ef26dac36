/**
 * Where servers and clients run: each on a processor core of its own, before everything else that
 * the machine has to do. Without that, a busy machine is what is measured.
 * @module
 */
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hostHierarchies } from '../../../runtime/src/cgroup/mounts.ts'
import { descendantsOf } from './process-tree.ts'

export interface Placement {
  /** What goes before the command of a server; empty when the machine does not allow it. */
  server: readonly string[]
  /** The same of a load client. */
  client: readonly string[]
  /** Moves what a server started to the clients' core: a job that is the load on its own bridge. */
  moveJob(serverPid: number): void
  /** Said with every figure when nothing is placed. */
  remark?: string
}

// Round robin, not FIFO: that would keep Node's compiler threads from ever running.
const server = ['chrt', '-r', '20', 'taskset', '-c', '0']
const client = ['chrt', '-f', '20', 'taskset', '-c', '1']

/** Found out by trying: it takes rights and two cores. */
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

/** In a control group the kernel may have no real-time share for it (CONFIG_RT_GROUP_SCHED). */
function leaveCpuGroups(pid: string): void {
  const hierarchies = hostHierarchies().filter(({ version }) => version === 1)
  for (const { path, controllers } of hierarchies) {
    if (controllers.includes('cpu')) writeFileSync(join(path, 'cgroup.procs'), pid)
  }
}

function works([program = '', ...args]: readonly string[]): boolean {
  return spawnSync(program, args, { stdio: 'ignore' }).status === 0
}
