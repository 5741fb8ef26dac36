/**
 * A job in the host's own network, under the rules for its uid.
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { createEgressPolicy } from '../../../service/src/egress/policy.ts'
import type { NetworkSettings } from '../../../runtime/src/job-network/settings.ts'
import { openSharedNetwork } from '../../../runtime/src/job-network/shared/shared-network.ts'
import { openCgroups } from '../../../runtime/src/cgroup/cgroup.ts'
import { servers } from './lab.ts'

// A uid that no user has.
const uid = 1_799_999_999

/**
 * Runs `work` as the job. The rules exist only meanwhile, because all other packets of the host
 * pass them, too.
 * @param work gets the arguments that run a program as the job
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

/** Only control groups of version 2 identify sockets. */
function inGroup(folders: readonly string[]): string[] {
  const group = folders.find((folder) => existsSync(join(folder, 'cgroup.controllers')))
  if (group === undefined) throw new Error('no control groups of version 2')
  return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', group]
}
