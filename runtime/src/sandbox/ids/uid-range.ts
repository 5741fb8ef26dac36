/**
 * The range of host ids that a root daemon gives to jobs, from `sandbox.uidBase` on, and the check
 * that nobody else has an id in it.
 * @module
 */
import { readOrEmpty } from '@causeway/service/failure'
import { StartError } from '../../errors/start-error.ts'

// The order: one id for each job under a tracer, the owner of unpacked images, then 65,536 ids for
// each job in a user namespace.
export const maxJobs = 65_536
export const rangeSize = 65_536
export const maxRanges = 1_024
export const firstRange = 2 * rangeSize
const idCount = firstRange + maxRanges * rangeSize

// Lower ids are root's, users', services' and nobody's (65534); 65535 means "none" in 16-bit calls.
export const leastUidBase = 65_536
// The last id must be below 2^32 - 1, which means "none" to the kernel.
export const mostUidBase = 2 ** 32 - 1 - idCount

/** Owner of unpacked images; no job runs under this id. */
export function imageUid(base: number): number {
  return base + maxJobs
}

/**
 * Refuses a range that contains ids of others: a job could run as one of them.
 * @param read reads a file of this host; '' when the file does not exist
 * @throws StartError SANDBOX_UNAVAILABLE naming the owner
 */
export function checkRange(base: number, read: (file: string) => string = readOrEmpty): void {
  const end = base + idCount
  for (const { owner, first, count, file } of takenIds(read)) {
    if (!(first < end && base < first + count)) continue
    throw new StartError(
      'SANDBOX_UNAVAILABLE',
      `sandbox.uidBase ${base}: expected the ids ${base} to ${end - 1} to be free, found ${owner} in ${file} (${first}${count > 1 ? ` to ${first + count - 1}` : ''})`,
    )
  }
}

interface TakenIds {
  owner: string
  first: number
  count: number
  file: string
}

function takenIds(read: (file: string) => string): TakenIds[] {
  // Ids for users' containers (subuid(5)): `owner:first:count`.
  const given = ['/etc/subuid', '/etc/subgid'].flatMap((file) =>
    fieldsOf(read(file)).map(([owner = '', first, count]) => ({ owner, first, count, file })),
  )
  // Users and groups: `owner:password:id`.
  const own = ['/etc/passwd', '/etc/group'].flatMap((file) =>
    fieldsOf(read(file)).map(([owner = '', , first]) => ({ owner, first, count: 1, file })),
  )
  // A field that is not a number becomes NaN, which overlaps with nothing.
  return [...given, ...own].map((ids) => ({
    ...ids,
    first: Number(ids.first),
    count: Number(ids.count),
  }))
}

function fieldsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.split(':'))
}
