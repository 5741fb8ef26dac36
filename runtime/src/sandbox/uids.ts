/**
 * A host uid of its own for each deployment: the kernel then keeps jobs apart, and from the host.
 * @module
 */
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native'
import { StartError } from '../start-error.ts'

const maxDeployments = 65_536

// For the whole host, not in a state folder: two daemons must never give two jobs the same uid.
const lockFolder = '/run/causeway/uids'

/** A uid that nobody else is given until `release`, or until this process dies. */
export interface UidLease {
  uid: number
  release(): void
}

/**
 * Takes the lowest free uid from `base`; only root can.
 * @throws StartError SANDBOX_UNAVAILABLE when the range belongs to somebody or is used up
 */
export function leaseUid(base: number): UidLease {
  checkRange(base, readSubuids())
  mkdirSync(lockFolder, { recursive: true, mode: 0o700 })
  for (let uid = base; uid < base + maxDeployments; uid++) {
    const fd = lockFile(join(lockFolder, String(uid)))
    if (fd !== undefined) return { uid, release: () => closeFd(fd) }
  }
  throw new StartError('SANDBOX_UNAVAILABLE', `all ${maxDeployments} uids from ${base} are taken`)
}

/**
 * Refuses a range that overlaps one given to a user for containers: those could become the job.
 * @param subuids content of /etc/subuid, lines `user:first:count`
 */
export function checkRange(base: number, subuids: string): void {
  for (const line of subuids.split('\n')) {
    const [user, first, count] = line.split(':')
    if (count === undefined) continue
    if (Number(first) < base + maxDeployments && base < Number(first) + Number(count)) {
      const range = `sandbox.uidBase ${base}: the ${maxDeployments} uids from it overlap those of ${user} in /etc/subuid (${first} and ${count} on)`
      throw new StartError('SANDBOX_UNAVAILABLE', range)
    }
  }
}

function readSubuids(): string {
  try {
    return readFileSync('/etc/subuid', 'utf8')
  } catch {
    // No such file: nobody was given a range.
    return ''
  }
}
