/** Counts the tasks of a user that RLIMIT_NPROC already includes. @module */
import { readdirSync, readFileSync } from 'node:fs'

/** Threads of all processes of a user that this process sees, as RLIMIT_NPROC counts (getrlimit(2)). */
export function tasksOfUser(uid: number): number {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map((pid) => threadsOf(pid, uid))
    .reduce((sum, threads) => sum + threads, 0)
}

/** Threads of a process; 0 for another user's. */
function threadsOf(pid: string, uid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, 'utf8')
    const realUid = /^Uid:\s*(\d+)/m.exec(status)?.[1]
    return Number(realUid) === uid ? Number(/^Threads:\s*(\d+)/m.exec(status)?.[1]) : 0
  } catch {
    return 0 // The process has just ended.
  }
}
