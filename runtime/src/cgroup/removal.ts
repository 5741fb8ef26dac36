/**
 * Kills and removes control groups: those of a job, and those that dead daemons have left.
 * @module
 */
import { existsSync, readFileSync, readdirSync, rmdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { isAbandoned } from '../state/process-tag.ts'

/** Folders, directly below `parents`, of groups whose daemon has died. */
export function abandonedGroups(parents: readonly string[], kind: string): string[] {
  return parents.flatMap((above) =>
    readdirSync(above)
      .filter((name) => isAbandoned(kind, name))
      .map((name) => join(above, name)),
  )
}

// About two seconds in all: a killed process may be in the middle of a long write.
const attempts = 200
const pauseMs = 10

/** Kills all processes in the groups and removes the groups; warns of those that remain. */
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

/** @returns why the group remains; undefined when it was removed */
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

/** Kills all processes at once where the kernel can (5.14), else one by one. */
function killAll(folder: string): void {
  const killFile = join(folder, 'cgroup.kill')
  try {
    if (existsSync(killFile)) return writeFileSync(killFile, '1')
    for (const pid of processesIn(folder)) {
      // 0 stands for a process of a PID namespace above ours, which no group of ours has.
      if (pid > 0) process.kill(pid, 'SIGKILL')
    }
  } catch {
    // The group or a process of it is gone; the next attempt sees what is left.
  }
}

function processesIn(folder: string): number[] {
  const path = join(folder, 'cgroup.procs')
  return existsSync(path) ? readFileSync(path, 'utf8').split('\n').filter(Boolean).map(Number) : []
}

/** @returns the error's code; undefined when the folder is gone */
function tryRemove(folder: string): string | undefined {
  try {
    rmdirSync(folder)
    return undefined
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    return code === 'ENOENT' ? undefined : code
  }
}
