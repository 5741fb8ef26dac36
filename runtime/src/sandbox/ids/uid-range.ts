/**
 * The host ids that jobs are given when the daemon is root, all of them from `sandbox.uidBase` on,
 * and whom else they might belong to.
 * @module
 */
import { readFileSync } from 'node:fs'
import { StartError } from '../../errors/start-error.ts'

// One id for each job under a tracer, then the owner of unpacked images, then 65,536 ids for each
// job in a user namespace.
export const maxJobs = 65_536
export const rangeSize = 65_536
export const maxRanges = 1_024
export const firstRange = 2 * rangeSize
const idCount = firstRange + maxRanges * rangeSize

// Below are root, users, services, nobody (65534), and 65535, with which calls of 16 bits say "none".
export const leastUidBase = 65_536
// The last id must be below 2^32 - 1, with which the kernel says "none".
export const mostUidBase = 2 ** 32 - 1 - idCount

/** Owner of unpacked images, which no job runs as. */
export function imageUid(base: number): number {
  return base + maxJobs
}

/**
 * Refuses a range in which others have ids: one of them could become the job.
 * @param read content of a file of this host, empty when it is not there
 * @throws StartError SANDBOX_UNAVAILABLE naming whose they are
 */
export function checkRange(base: number, read: (file: string) => string = readText): void {
  const end = base + idCount
  for (const { owner, first, count, file } of takenIds(read)) {
    if (!(first < end && base < first + count)) continue
    throw new StartError(
      'SANDBOX_UNAVAILABLE',
      `sandbox.uidBase ${base}: expected that nobody has an id from ${base} to ${end - 1}, found ${owner} in ${file} (${first}${count > 1 ? ` to ${first + count - 1}` : ''})`,
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
  // For containers of users: `owner:first:count`.
  const given = ['/etc/subuid', '/etc/subgid'].flatMap((file) =>
    fieldsOf(read(file)).map(([owner = '', first, count]) => ({ owner, first, count, file })),
  )
  // Users and groups themselves: `owner:password:id`.
  const own = ['/etc/passwd', '/etc/group'].flatMap((file) =>
    fieldsOf(read(file)).map(([owner = '', , first]) => ({ owner, first, count: 1, file })),
  )
  // What is no number overlaps with nothing.
  return [...given, ...own].map((ids) => ({
    ...ids,
    first: Number(ids.first),
    count: Number(ids.count),
  }))
}

function fieldsOf(text: string): string[][] {
  return text.split('\n').map((line) => line.split(':'))
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch {
    return ''
  }
}
