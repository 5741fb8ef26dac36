/** One run of a job's entrypoint: launcher → (PRoot →) guest's init → entrypoint. @module */
import type { ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import type { Readable } from 'node:stream'
import { getSystemErrorMap } from 'node:util'
import { exitOf, parseWaitStatus, type JobExit } from './exit.ts'
import type { Launch } from './launcher/launch.ts'
import { findGuestProcess } from './launcher/process-tree.ts'
import { readRecords } from './launcher/init-reports.ts'

/** How to start a job. */
export interface JobOptions {
  /** The command, for the error message when it cannot be executed. */
  entrypoint: string
  /** NUL-terminated strings for the guest's init. */
  start: Buffer
}

/** A running job. */
export interface Job {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves with true once the entrypoint runs, or with false once it never will. */
  readonly started: Promise<boolean>
  /** Resolves once no process of the job is left. */
  readonly exited: Promise<JobExit>
  /** Sends SIGTERM to the entrypoint; ends the whole process tree after the grace time (ms). */
  stop(graceMs: number): void
  /** Ends the whole process tree at once. */
  kill(): void
}

/** Starts the job of a launch whose root is mounted. */
export function startJob(launch: Launch, { entrypoint, start }: JobOptions): Job {
  const { child: launcher, records } = launch
  let exit: JobExit | undefined
  let guestPid: number | undefined
  let isStopping = false
  const endTree = () => void launcher.kill('SIGTERM')
  const started = new Promise<boolean>((resolve) => {
    readRecords(records, {
      onStarted(pid) {
        guestPid = pid
        resolve(true)
      },
      onStartFailed(errno) {
        exit = startFailed(errno, entrypoint)
        resolve(false)
      },
      onExited(waitStatus) {
        exit ??= exitOf(parseWaitStatus(waitStatus))
        endTree()
      },
    })
    launcher.on('close', () => resolve(false)).on('error', () => resolve(false))
  })
  const result = () =>
    exit ?? withoutReport(launch, { hasStarted: guestPid !== undefined, isStopping })
  const exited = ended(launcher, records, result)
  launch.start.end(start)
  launch.go()
  return {
    stdout: launch.stdout,
    stderr: launch.stderr,
    started,
    exited,
    stop(graceMs) {
      isStopping = true
      // A running job's report may still be on its way; the timer ends a job that never starts.
      void started.then(() => {
        if (guestPid !== undefined) terminate(launcher, guestPid)
      })
      setTimeout(endTree, graceMs).unref()
    },
    kill() {
      isStopping = true
      endTree()
    },
  }
}

async function ended(
  launcher: ChildProcess,
  records: Readable,
  result: () => JobExit,
): Promise<JobExit> {
  const gone = new Promise<void>((resolve, reject) => {
    if (launcher.exitCode !== null || launcher.signalCode !== null) return resolve()
    launcher.on('exit', () => resolve()).on('error', reject)
  })
  const reported = new Promise<void>((resolve) => {
    if (records.destroyed) return resolve()
    records.on('close', () => resolve())
  })
  try {
    await Promise.all([gone, reported])
    return result()
  } catch (error) {
    return { reason: 'start-failed', detail: (error as Error).message }
  }
}

function withoutReport(
  launch: Launch,
  { hasStarted, isStopping }: { hasStarted: boolean; isStopping: boolean },
): JobExit {
  const { child: launcher } = launch
  if (isStopping) return { reason: 'killed', detail: 'stopped by the host' }
  const how = launcher.signalCode ?? `exit code ${launcher.exitCode}`
  return hasStarted
    ? { reason: 'killed', detail: `the sandbox ended before the job did (${how})` }
    : {
        reason: 'start-failed',
        detail: launch.failure() ?? `the sandbox could not be set up (${how})`,
      }
}

function terminate(launcher: ChildProcess, guestPid: number): void {
  const pid = launcher.pid && findGuestProcess(launcher.pid, guestPid)
  try {
    if (pid) process.kill(pid, 'SIGTERM')
  } catch {
    // The entrypoint has just ended by itself, and its init reports that.
  }
}

function startFailed(errno: number, entrypoint: string): JobExit {
  const [code, text] = getSystemErrorMap().get(-errno) ?? [errnoName(errno), 'exec failed']
  // The file itself existed when the command was built, so its interpreter is missing.
  const hint = code === 'ENOENT' ? '; is its interpreter in the image?' : ''
  return { reason: 'start-failed', detail: `${entrypoint}: ${text} (${code})${hint}` }
}

/** Name of an errno that Node has no text for, such as ENOEXEC. */
function errnoName(errno: number): string {
  const name = Object.entries(constants.errno).find(([, number]) => number === errno)?.[0]
  return name ?? `errno ${errno}`
}
