/**
 * Under which host user a job runs.
 * @module
 */
import { chmod, chown } from 'node:fs/promises'
import type { Owner } from '@causeway/images'
import { removeProotFiles } from './sandbox/proot-files.ts'
import { leaseUid } from './sandbox/uids.ts'
import { StartError } from './start-error.ts'
import { closedAncestor, isRoot } from './state.ts'

/** A job's host user. */
export interface JobUser {
  uid: number
  /** Set when the uid is the job's own: then files have to be given to it. */
  owner?: Owner
}

export interface JobUserOptions {
  /** First uid for jobs. */
  uidBase: number
  /** The run's folder, through which the user must be able to walk. */
  folder: string
  onWarning: (message: string) => void
}

/**
 * Calls with the job's user: root gives the job a uid of its own until the call ends; anyone else
 * can only run it as themselves.
 * @throws StartError STATE_UNREACHABLE when the job's uid could not reach its folder
 */
export async function withJobUser<T>(
  { uidBase, folder, onWarning }: JobUserOptions,
  call: (user: JobUser) => Promise<T>,
): Promise<T> {
  if (!isRoot()) {
    onWarning(
      'not root: the job runs under your own uid, so only its sandbox keeps it from your files and processes',
    )
    return call({ uid: process.getuid?.() ?? 0 })
  }
  const lease = leaseUid(uidBase)
  try {
    await openFolder(folder, lease.uid)
    return await call({ uid: lease.uid, owner: { uid: lease.uid, gid: lease.uid } })
  } finally {
    await removeProotFiles(lease.uid)
    lease.release()
  }
}

/** The job's group may pass through to its root; nobody else may, and it may not look around. */
async function openFolder(folder: string, gid: number): Promise<void> {
  await chown(folder, process.getuid?.() ?? 0, gid)
  await chmod(folder, 0o711)
  const closed = closedAncestor(folder)
  await chmod(folder, 0o710)
  if (closed === undefined) return
  throw new StartError(
    'STATE_UNREACHABLE',
    `${closed}: the job's uid can't enter this folder (expected mode o+x); choose another with --state`,
  )
}
