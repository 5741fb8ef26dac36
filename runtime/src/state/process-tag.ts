/**
 * Names that tell which process made what they name, so that what a killed process left can be
 * told from what a living one uses.
 *
 * A pid alone says little: pids are given anew, and in a container the same one at every start. So
 * the moment of the start goes with it, and the PID namespace in which the pid means something: in
 * a container the processes of others cannot be seen, alive or not.
 *
 * What carries another PID namespace stays: nobody here knows whether its process lives.
 * @module
 */
import { randomBytes } from 'node:crypto'
import { readFileSync, readlinkSync } from 'node:fs'

const randomLength = 8

/**
 * A name that nobody else has: `KIND-NAMESPACE-PID-STARTTIME-RANDOM`.
 * @param pid its owner, in this process's PID namespace
 */
export function ownedName(kind: string, pid = process.pid): string {
  const random = randomBytes(randomLength).toString('hex')
  return `${kind}-${pidNamespace()}-${pid}-${startTime(pid) ?? 0}-${random}`
}

/**
 * Whether a name was given by a process that is gone for certain: false for names of other kinds,
 * and for processes of other PID namespaces, of which nobody here can know.
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
