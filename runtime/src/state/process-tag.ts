/**
 * Names files and folders after the process that owns them, so that leftovers of killed processes
 * can be recognised.
 *
 * A pid is not enough: pids are reused, and a container has the same ones at every start. So the
 * name also has the process's start time, and the PID namespace in which the pid is valid:
 * processes of other containers cannot be seen from here, alive or not.
 *
 * A name with another PID namespace stays: nobody here knows whether its process lives.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

const randomLength = 8

/**
 * A unique name: `KIND-NAMESPACE-PID-STARTTIME-RANDOM`.
 * @param pid the owner, in this process's PID namespace
 */
export function ownedName(kind: string, pid = process.pid): string {
  const random = randomBytes(randomLength).toString('hex')
  return `${kind}-${pidNamespace()}-${pid}-${startTime(pid) ?? 0}-${random}`
}

/**
 * Whether the process that a name belongs to is certainly gone. False for names of other kinds, and
 * for processes of other PID namespaces, which cannot be seen from here.
 */
export function isAbandoned(kind: string, name: string): boolean {
  const parts = /^(.+)-(\d+)-(\d+)-(\d+)-[0-9a-f]+$/.exec(name)
  if (!parts) return false
  const [, itsKind, namespace, pid, started] = parts
  return itsKind === kind && namespace === pidNamespace() && startTime(Number(pid)) !== started
}

/** Inode of this process's PID namespace. */
function pidNamespace(): string {
  return readlinkSync('/proc/self/ns/pid').replaceAll(/\D/g, '')
}

/** Field 22 of /proc/pid/stat (proc(5)), clock ticks since boot; undefined for a dead process. */
function startTime(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    // Splits after the last ")": the name before it may contain anything.
    return stat.slice(stat.lastIndexOf(')') + 2).split(' ')[19]
  } catch {
    return undefined
  }
}
