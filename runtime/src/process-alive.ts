/**
 * Whether a process that once was is still there, by pid and the moment it started: pids are given
 * anew, and in a container the same one at every start.
 * @module
 */
import { readFileSync } from 'node:fs'

/** `pid-starttime`, unique until the next boot. */
export function processTag(pid = process.pid): string {
  return `${pid}-${startTime(pid) ?? 0}`
}

/** Whether the process of a tag is still running. */
export function isAlive(tag: string): boolean {
  const [pid, started] = tag.split('-')
  return startTime(Number(pid)) === started
}

/** Field 22 of /proc/pid/stat (proc(5)), in clock ticks since boot; undefined when it is gone. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // After the last ")": the name before it may hold anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
