/** Keeps a job from sending many datagrams as one packet, which would count once. @module */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { refuseSegments } from '@causeway/native/network'

/**
 * @param groups folders of the job's control groups, of either version
 * @param onWarning called where that fails; the system-call filter still stops most programs
 */
export function refuseBulk(groups: readonly string[], onWarning: (message: string) => void): void {
  const ours = groups.filter((folder) => existsSync(join(folder, 'cgroup.controllers')))
  try {
    if (ours.length === 0) throw new Error('it has no control group of version 2')
    for (const folder of ours) refuseSegments(folder)
  } catch (error) {
    onWarning(`a job may send dozens of datagrams as one packet: ${(error as Error).message}`)
  }
}
