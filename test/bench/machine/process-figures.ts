/**
 * The kernel's figures about another process.
 * @module
 */
import { readdirSync, readFileSync } from 'node:fs'

/** CPU time of all live threads so far, ns: first field of `/proc/PID/task/TID/schedstat`. */
export function cpuTimeNs(pid: number): number {
  const folder = `/proc/${pid}/task`
  const times = readdirSync(folder).map((thread) => threadTimeNs(`${folder}/${thread}/schedstat`))
  return times.reduce((sum, time) => sum + time, 0)
}

function threadTimeNs(file: string): number {
  try {
    return Number(readFileSync(file, 'utf8').split(' ')[0])
  } catch (error) {
    // A thread may end between listing and reading.
    if (['ENOENT', 'ESRCH'].includes((error as NodeJS.ErrnoException).code ?? '')) return 0
    throw error
  }
}

/** Resident memory, bytes: `VmRSS` of `/proc/PID/status`. */
export function residentBytes(pid: number): number {
  const [, kilobytes] = /^VmRSS:\s*(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(kilobytes) * 1024
}

export function openDescriptors(pid: number): number {
  return readdirSync(`/proc/${pid}/fd`).length
}
