/** Finds a job's processes from the host's side. @module */
import { readOrEmpty } from '@causeway/service/failure'

/**
 * Host pid of the descendant of `ancestor` whose pid in its own namespace is `guestPid`; undefined
 * when it has ended.
 */
export function findGuestProcess(ancestor: number, guestPid: number): number | undefined {
  const queue = childrenOf(ancestor)
  for (const pid of queue) {
    if (namespacePid(pid) === guestPid) return pid
    queue.push(...childrenOf(pid))
  }
  return undefined
}

/** Host pids of a process's children, oldest first; none when the process has ended. */
export function childrenOf(pid: number): number[] {
  return readOrEmpty(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number)
}

/** The last number of `NSpid`: the pid in the innermost namespace (proc(5)). */
function namespacePid(pid: number): number | undefined {
  const numbers = /^NSpid:\s*(.*)$/m.exec(readOrEmpty(`/proc/${pid}/status`))?.[1]?.split(/\s+/)
  return numbers ? Number(numbers.at(-1)) : undefined
}
