/**
 * What a user's limit of processes counts already.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'

/** Threads of all processes of a user that this process sees, as RLIMIT_NPROC counts (getrlimit(2)). */
export function tasksOfUser(uid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => threadsOf(pid, uid))
    .reduce((sum, threads) => sum + threads, 0)
}

/** None of another user's process. */
function threadsOf(pid: string, uid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const realUid = /^Uid:\s*(\d+)/m.exec(status)?.[1]
    return Number(realUid) === uid ? Number(/^Threads:\s*(\d+)/m.exec(status)?.[1]) : 0
  } catch {
    return 0 // It has ended while we looked.
  }
}
