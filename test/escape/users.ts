/**
 * Who runs a daemon: everything must hold for root, whose jobs have uids of their own, and for an
 * ordinary user, whose jobs have the user's.
 * @module
 */
import { execFileSync } from 'node:child_process'

export interface DaemonUser {
  name: string
  /** Absent: whoever runs the tests. */
  uid?: number
}

export const isRoot = process.getuid?.() === 0

/** A uid of nobody else, not even of other tests: a job may get at all processes that have it. */
export const ordinaryUid = 64_123

const ordinary: DaemonUser = {
  name: 'an ordinary user',
  ...(isRoot && { uid: ordinaryUid }),
}
export const users: readonly DaemonUser[] = isRoot ? [{ name: 'root' }, ordinary] : [ordinary]

/** Options of a child process. */
export function asUser({ uid }: DaemonUser): { uid?: number; gid?: number } {
  return uid === undefined ? {} : { uid, gid: uid }
}

/** Gives a folder and all in it to a user. */
export function giveTo({ uid }: DaemonUser, folder: string): void {
  if (uid !== undefined) execFileSync('chown', ['-hR', `${uid}:${uid}`, folder])
}
