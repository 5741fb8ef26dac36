/**
 * A host uid of its own for each deployment: the kernel then keeps jobs apart, and from the host.
 * @module
 */
import { randomInt } from 'node:crypto'
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native'
import { StartError } from '../../errors/start-error.ts'
import { hostFolder } from '../../state/host-folder.ts'
import { checkRange, firstRange, maxJobs, maxRanges, rangeSize } from './uid-range.ts'

// For the whole host, not in a state folder: two daemons must never give two jobs the same uid.
const lockFolderName = 'uids'

/** Host ids that nobody else is given until `release`, or until this process dies. */
export interface UidLease {
  /** The first, or the only one. */
  uid: number
  count: number
  release(): void
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

function tryLease(locks: string, uid: number, count: number): UidLease | undefined {
  const fd = lockFile(join(locks, String(uid)))
  return fd === undefined ? undefined : { uid, count, release: () => closeFd(fd) }
}
