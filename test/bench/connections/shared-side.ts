/**
 * A job in the host's own network, with the rules that hold for its uid.
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createEgressPolicy } from '../../../service/src/egress/policy.ts'
import type { NetworkSettings } from '../../../runtime/src/job-network/settings.ts'
import { openSharedNetwork } from '../../../runtime/src/job-network/shared/shared-network.ts'
import { openCgroups } from '../../../runtime/src/cgroup/cgroup.ts'
import { servers } from './lab.ts'

// Nobody's.
const uid = 1_799_999_999

/**
 * Lets something run as the job; the rules are there only as long, for they are passed by whatever
 * else the host sends.
 * @param work is given the arguments before a program of the job
 */
export async function asSharedJob<Result>(
  settings: NetworkSettings,
  work: (prefix: readonly string[]) => Promise<Result>,
): Promise<Result> {
  const groups = openCgroups().create()
  const policy = createEgressPolicy(settings.allow)
  const network = await openSharedNetwork({ settings, policy })
  try {
    await network.attachOwner({ deployment: 'bench', uid, count: 1, maxConnections: 0 })
    await network.attach(groups.folders)
    await network.admit([{ address: servers.shared, seconds: 3600 }])
    return await work([...inGroup(groups.folders), ...asUser])
  } finally {
    await network.close()
    await groups.remove()
  }
}

const asUser = ['setpriv', `--reuid=${uid}`, `--regid=${uid}`, '--clear-groups']

/** Only by those of version 2 are sockets known. */
function inGroup(folders: readonly string[]): string[] {
  const group = folders.find((folder) => existsSync(join(folder, 'cgroup.controllers')))
  if (group === undefined) throw new Error('no control groups of version 2')
  return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group]
}
