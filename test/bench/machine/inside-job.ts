/**
 * Enters a job from outside: its uid and its PID namespace, but not its PRoot, whose tracer costs a
 * client more per call than the bridge does.
 * @module
 */
import { readFileSync } from 'node:fs'
import { descendantsOf } from './process-tree.ts'

/** The prefix that runs a command there; undefined unless root. */
export function insideJob(serverPid: number): readonly string[] | undefined {
  if (process.getuid?.() !== 0) return undefined
  const job = descendantsOf(serverPid).at(-1)
  if (job === undefined) throw new Error('the job is gone')
  const user = String(uidOf(job))
  const identity = ['--setuid', user, '--setgid', user]
  return ['nsenter', '--target', String(job), '--pid', ...identity, '--']
}

function uidOf(pid: number): number {
  const [, uid] = /^Uid:\s*(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!
  return Number(uid)
}
