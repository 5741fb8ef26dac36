/**
 * Network namespaces like those of jobs, with the network extension and without.
 * @module
 */
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { createNetwork, refuseSegments } from '@causeway/native/network'
import { createEgressPolicy } from '../../../service/src/egress/policy.ts'
import { holdHostTable } from '../../../runtime/src/job-network/isolated/host-table.ts'
import { openIsolatedNetwork } from '../../../runtime/src/job-network/isolated/isolated-network.ts'
import type { NetworkCounters } from '../../../runtime/src/job-network/contract.ts'
import type { NetworkSettings } from '../../../runtime/src/job-network/settings.ts'
import { connectToHost } from '../../../runtime/src/job-network/isolated/veth.ts'
import { hostHierarchies } from '../../../runtime/src/cgroup/mounts.ts'
import { inside, servers } from './lab.ts'

export interface IsolatedSides {
  /** Arguments before a program: only the cable and the host's table. */
  plain: readonly string[]
  /** Arguments before a program: also rules and queues. */
  limited: readonly string[]
  /** The counters of the latter. */
  counters(): Promise<NetworkCounters>
}

export async function openIsolatedSides(settings: NetworkSettings): Promise<IsolatedSides> {
  const { families } = await holdHostTable((message) => process.emitWarning(message))
  const plain = createNetwork()
  await connectToHost(plain, families)
  const policy = createEgressPolicy(settings.allow)
  const network = await openIsolatedNetwork({ settings, policy, families, queues: true })
  await network.admit([{ address: servers.admitted, seconds: 3600 }])
  const groups = { plain: makeGroup('plain'), limited: makeGroup('limited') }
  refuseSegments(groups.limited)
  return {
    plain: [...joining(groups.plain), ...inside(plain)],
    limited: [...joining(groups.limited), ...inside(network.namespace)],
    counters: () => network.counters(),
  }
}

/** A control group like a job's; it is removed with this process. */
function makeGroup(name: string): string {
  const hierarchy = hostHierarchies().find(({ version }) => version === 2)
  if (!hierarchy) throw new Error('the group network needs control groups of version 2')
  const folder = join(hierarchy.path, `causeway-bench-${process.pid}-${name}`)
  mkdirSync(folder)
  process.once('exit', () => rmdirSync(folder))
  return folder
}

function joining(group: string): readonly string[] {
  return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group]
}
