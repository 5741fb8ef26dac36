/**
 * Leases each deployment host uids of its own, by which the kernel separates jobs and the host.
 * @module
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native/process'
import { StartError } from '../../errors/start-error.ts'
import { hostFolder } from '../../state/host-folder.ts'
import { checkRange, firstRange, maxJobs, maxRanges, rangeSize } from './uid-range.ts'

// One folder for the whole host: two daemons must never give two jobs the same uid.
const lockFolderName = 'uids'

/** Host ids that no other job gets until `release`, or until this process dies. */
export interface UidLease {
  /** The first of the ids. */
  uid: number
  count: number
  release(): void
}

/**
 * Leases a free id, or a range of 65,536, from `base` on; only root can.
 * @param wish `preferred` is taken when it is free: it owns the files of an earlier root.
 *   `isSpread` starts at a random id, not at the lowest, so that ids others prefer stay free
 * @throws StartError SANDBOX_UNAVAILABLE when somebody else has the ids, or all are leased
 */
export function leaseUids(
  base: number,
  kind: 'one' | 'range',
  { preferred, isSpread = false }: { preferred?: number; isSpread?: boolean } = {},
): UidLease {
  checkRange(base)
  const locks = hostFolder(lockFolderName)
  const count = kind === 'one' ? 1 : rangeSize
  const [first, most] = kind === 'one' ? [base, maxJobs] : [base + firstRange, maxRanges]
  const isOurs = preferred !== undefined && isFirstOf(preferred, { first, most, count })
  const taken = isOurs ? tryLease(locks, preferred, count) : undefined
  if (taken) return taken
  const begin = isSpread ? randomInt(most) : 0
  for (let step = 0; step < most; step++) {
    const index = (begin + step) % most
    const lease = tryLease(locks, first + index * count, count)
    if (lease) return lease
  }
  throw new StartError('SANDBOX_UNAVAILABLE', `all ${most} uid leases from ${first} on are in use`)
}

/** False for an id inside another lease, which a daemon with other settings may have noted. */
function isFirstOf(
  uid: number,
  { first, most, count }: { first: number; most: number; count: number },
): boolean {
  const index = (uid - first) / count
  return Number.isInteger(index) && index >= 0 && index < most
}

function tryLease(locks: string, uid: number, count: number): UidLease | undefined {
  const fd = lockFile(join(locks, String(uid)))
  return fd === undefined ? undefined : { uid, count, release: () => closeFd(fd) }
}
