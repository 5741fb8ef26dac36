/** Keeps a job from sending many datagrams as one packet, which would count once. @module */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { loadSegmentGuard, refuseSegments } from '@causeway/native/network'
import { hostHierarchies } from '../cgroup/mounts.ts'
import type { Shortfall } from '../errors/shortfall.ts'
import { StartError } from '../errors/start-error.ts'

const remedy =
  'give the daemon CAP_BPF and CAP_NET_ADMIN, and mount the control groups of version 2 at /sys/fs/cgroup'

/** What to do where a job could send them. */
export interface BulkOptions {
  /** Whether no job may run then, as with `network.enforce = "required"`. */
  isRequired: boolean
  onWarning: (message: string) => void
}

/** Why this host cannot refuse them, if it cannot. */
export function bulkGaps(): Shortfall[] {
  try {
    if (!hostHierarchies().some(({ version }) => version === 2)) throw noGroup('this host')
    loadSegmentGuard()
    return []
  } catch (error) {
    return [{ text: sayWhy(error), remedy }]
  }
}

/**
 * Refuses them to a job.
 * @param groups folders of the job's control groups, of either version
 * @throws StartError NETWORK_UNAVAILABLE where that fails and is required; where it is not, the
 *   system-call filter still stops most programs
 */
export function refuseBulk(
  groups: readonly string[],
  { isRequired, onWarning }: BulkOptions,
): void {
  const ours = groups.filter((folder) => existsSync(join(folder, 'cgroup.controllers')))
  try {
    if (ours.length === 0) throw noGroup('the job')
    for (const folder of ours) refuseSegments(folder)
  } catch (cause) {
    const message = sayWhy(cause)
    if (isRequired) throw new StartError('NETWORK_UNAVAILABLE', message, { cause })
    onWarning(message)
  }
}

function noGroup(who: string): Error {
  return new Error(`${who} has no control group of version 2`)
}

function sayWhy(error: unknown): string {
  return `a job may send dozens of datagrams as one packet: ${(error as Error).message}`
}
