/**
 * A host uid of its own for each deployment: the kernel then keeps jobs apart, and from the host.
 * @module
 */
import { randomInt } from 'node:crypto'
import { mkdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native'
import { StartError } from '../start-error.ts'

// Layout of the host ids from `sandbox.uidBase` on: one id for each job under a tracer, then the
// owner of unpacked images, then 65,536 ids for each job in a user namespace.
const maxJobs = 65_536
export const rangeSize = 65_536
const maxRanges = 1_024
const firstRange = 2 * rangeSize
const idCount = firstRange + maxRanges * rangeSize

// For the whole host, not in a state folder: two daemons must never give two jobs the same uid.
const lockFolder = '/run/causeway/uids'

/** Host ids that nobody else is given until `release`, or until this process dies. */
export interface UidLease {
  /** The first, or the only one. */
  uid: number
  count: number
  release(): void
}

/** Owner of unpacked images, which no job runs as. */
export function imageUid(base: number): number {
  return base + maxJobs
}

/**
 * Takes a free id, or 65,536 of them, from `base` on; only root can.
 * @param wish `preferred` is taken when it is free: a root that was made before has files of it;
 *   `isSpread` begins anywhere instead of at the lowest, so that others' preferred ones stay free
 * @throws StartError SANDBOX_UNAVAILABLE when the ids belong to somebody or are used up
 */
export function leaseUids(
  base: number,
  kind: 'one' | 'range',
  { preferred, isSpread = false }: { preferred?: number; isSpread?: boolean } = {},
): UidLease {
  checkRange(base, readSubuids())
  mkdirSync(lockFolder, { recursive: true, mode: 0o700 })
  const count = kind === 'one' ? 1 : rangeSize
  const [first, most] = kind === 'one' ? [base, maxJobs] : [base + firstRange, maxRanges]
  const isOurs = preferred !== undefined && isFirstOf(preferred, { first, most, count })
  const taken = isOurs ? tryLease(preferred, count) : undefined
  if (taken) return taken
  const begin = isSpread ? randomInt(most) : 0
  for (let step = 0; step < most; step++) {
    const index = (begin + step) % most
    const lease = tryLease(first + index * count, count)
    if (lease) return lease
  }
  throw new StartError('SANDBOX_UNAVAILABLE', `all ${most} jobs from uid ${first} on are taken`)
}

/** An id noted by a daemon with other settings may lie in the middle of what others have. */
function isFirstOf(
  uid: number,
  { first, most, count }: { first: number; most: number; count: number },
): boolean {
  const index = (uid - first) / count
  return Number.isInteger(index) && index >= 0 && index < most
}

function tryLease(uid: number, count: number): UidLease | undefined {
  const fd = lockFile(join(lockFolder, String(uid)))
  return fd === undefined ? undefined : { uid, count, release: () => closeFd(fd) }
}

/**
 * Refuses a range that overlaps one given to a user for containers: those could become the job.
 * @param subuids content of /etc/subuid, lines `user:first:count`
 */
export function checkRange(base: number, subuids: string): void {
  for (const line of subuids.split('\n')) {
    const [user, first, count] = line.split(':')
    if (count === undefined) continue
    if (Number(first) < base + idCount && base < Number(first) + Number(count)) {
      const range = `sandbox.uidBase ${base}: the ${idCount} ids from it overlap those of ${user} in /etc/subuid (${first} and ${count} on)`
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
