/**
 * The users who run a daemon. Everything must hold for root, whose jobs have uids of their own, and
 * for an ordinary user, whose jobs have the user's uid.
 * @module
 */
import { execFileSync } from 'node:child_process'

export interface DaemonUser {
  name: string
  /** Absent: the user who runs the tests. */
  uid?: number
}

export const isRoot = process.getuid?.() === 0

/** A uid that nobody else has, not even other tests: a job may reach all processes that have it. */
export const ordinaryUid = 64_123

const ordinary: DaemonUser = {
  name: 'an ordinary user',
  ...(isRoot && { uid: ordinaryUid }),
}
export const users: readonly DaemonUser[] = isRoot ? [{ name: 'root' }, ordinary] : [ordinary]

/** Options for a child process of a user. */
export function asUser({ uid }: DaemonUser): { uid?: number; gid?: number } {
  return uid === undefined ? {} : { uid, gid: uid }
}

/** Gives a folder and all in it to a user. */
export function giveTo({ uid }: DaemonUser, folder: string): void {
  if (uid !== undefined) execFileSync('chown', ['-hR', `${uid}:${uid}`, folder])
}
