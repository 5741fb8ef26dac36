/**
 * The end of control groups: those of a job, and those that processes that are gone have left.
 * @module
 */
import { existsSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAbandoned } from '../state/process-tag.ts'

/** Folders of groups whose maker is gone, in the folders above them. */
export function abandonedGroups(parents: readonly string[], kind: string): string[] {
  return parents.flatMap((above) =>
    readdirSync(above)
      .filter((name) => isAbandoned(kind, name))
      .map((name) => join(above, name)),
  )
}

// In all some seconds: what was killed may be in the middle of a long write.
const attempts = 200
const pauseMs = 10

/** Kills what is in them and removes them; what is in the way then is told. */
export async function removeGroups(
  folders: readonly string[],
  onWarning: (message: string) => void,
): Promise<void> {
  const failures = await Promise.all(folders.map(removeGroup))
  const left = failures.filter((failure) => failure !== undefined)
  if (left.length === 0) return
  const seconds = (attempts * pauseMs) / 1000
  onWarning(
    `control groups: not removed after ${seconds} s, the next start tries again: ${left.join('; ')}`,
  )
}

/** @returns what is in the way */
async function removeGroup(folder: string): Promise<string | undefined> {
  let code: string | undefined
  for (let attempt = 0; attempt < attempts; attempt++) {
    killAll(folder)
    code = tryRemove(folder)
    if (code === undefined) return undefined
    await pause(pauseMs)
  }
  return `${folder}: ${code}, processes in it: ${processesIn(folder).join(' ') || 'none'}`
}

/** At once where the kernel can (5.14), else one by one, again and again. */
function killAll(folder: string): void {
  const killFile = join(folder, 'cgroup.kill')
  try {
    if (existsSync(killFile)) return writeFileSync(killFile, '1')
    for (const pid of processesIn(folder)) {
      // 0: a process of another PID namespace above ours, which no group of ours has.
      if (pid > 0) process.kill(pid, 'SIGKILL')
    }
  } catch {
    // The group or a process of it is gone; the next round sees what is left.
  }
}

function processesIn(folder: string): number[] {
  const path = join(folder, 'cgroup.procs')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : []
}

/** @returns the error's code; undefined when it is gone */
function tryRemove(folder: string): string | undefined {
  try {
    rmdirSync(folder)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? undefined : code
  }
}
