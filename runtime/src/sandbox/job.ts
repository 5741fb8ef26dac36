/**
 * One run of a job's entrypoint: launcher → PRoot → guest's init → entrypoint.
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { constants } from 'node:os'
import { Socket } from 'node:net'
import type { Readable, Writable } from 'node:stream'
import { getSystemErrorMap } from 'node:util'
import { closeFd, createPipe } from '@causeway/native'
import { childrenOf, findGuestProcess } from './process-tree.ts'
import { readRecords } from './records.ts'

/** How to start a job. */
export interface JobOptions {
  /** Program and arguments that end in PRoot with the guest's init and the entrypoint. */
  command: readonly [string, ...string[]]
  /** What the guest executes, for the message when it can't be. */
  entrypoint: string
  /** Owner of the output pipes, so that the job may open `/dev/stdout`. */
  uid?: number
  /** NUL-ended records for the guest's init. */
  environment: Buffer
  /**
   * Called with the host pid of the tracer once that stands and before the job runs.
   * Throws to keep the job from running.
   */
  onTraced: (tracerPid: number) => void
}

/** How a job ended. */
export type JobExit =
  | { reason: 'exited'; code: number }
  /** `signal` is its name, or `SIG` and the number for those without one. */
  | { reason: 'signaled'; signal: string; number: number }
  /** Ended by us, or by the death of its sandbox. */
  | { reason: 'killed'; detail: string }
  | { reason: 'start-failed'; detail: string }

/** A running job. */
export interface Job {
  readonly stdout: Readable
  readonly stderr: Readable
  /** Resolves once the entrypoint runs, or with false once it is known that it never will. */
  readonly started: Promise<boolean>
  /** Resolves once no process of the job is left. */
  readonly exited: Promise<JobExit>
  /** SIGTERM to the entrypoint; after the grace time (ms) the end of the whole tree. */
  stop(graceMs: number): void
}

/** Starts the command with its output on pipes of ours. */
export function startJob({ command, entrypoint, uid, environment, onTraced }: JobOptions): Job {
  const [out, err, env, status] = [createPipe(uid), createPipe(uid), createPipe(), createPipe()]
  const launcher = spawn(command[0], command.slice(1), {
    stdio: ['ignore', out.writeFd, err.writeFd, env.readFd, status.writeFd],
    env: {},
  })
  for (const fd of [out.writeFd, err.writeFd, env.readFd, status.writeFd]) closeFd(fd)
  const environmentEnd = writeEnd(env.writeFd)
  launcher.on('close', () => environmentEnd.destroy())
  const letRun = () => {
    onTraced(tracerOf(launcher))
    environmentEnd.end(environment)
  }
  return supervise(launcher, entrypoint, letRun, {
    stdout: readEnd(out.readFd),
    stderr: readEnd(err.readFd),
    status: readEnd(status.readFd),
  })
}

/** The launcher's only child; it executed PRoot, which has started the guest's init by now. */
function tracerOf({ pid }: ChildProcess): number {
  const tracer = pid === undefined ? undefined : childrenOf(pid)[0]
  if (tracer === undefined) throw new Error('the tracer ended before the job began')
  return tracer
}

function supervise(
  launcher: ChildProcess,
  entrypoint: string,
  letRun: () => void,
  { stdout, stderr, status }: Record<'stdout' | 'stderr' | 'status', Readable>,
): Job {
  let exit: JobExit | undefined
  let guestPid: number | undefined
  let isStopping = false
  const endTree = () => void launcher.kill('SIGTERM')
  const started = new Promise<boolean>((resolve) => {
    readRecords(status, {
      onReady() {
        try {
          letRun()
        } catch (error) {
          exit = { reason: 'start-failed', detail: (error as Error).message }
          endTree()
        }
      },
      onStarted(pid) {
        guestPid = pid
        resolve(true)
      },
      onStartFailed(errno) {
        exit = startFailed(errno, entrypoint)
        resolve(false)
      },
      onExited(waitStatus) {
        exit ??= fromWaitStatus(waitStatus)
        endTree()
      },
    })
    launcher.on('close', () => resolve(false)).on('error', () => resolve(false))
  })
  return {
    stdout,
    stderr,
    started,
    exited: ended(
      launcher,
      status,
      () => exit ?? withoutReport(launcher, guestPid !== undefined, isStopping),
    ),
    stop(graceMs) {
      isStopping = true
      if (guestPid === undefined) endTree()
      else terminate(launcher, guestPid)
      setTimeout(endTree, graceMs).unref()
    },
  }
}

async function ended(
  launcher: ChildProcess,
  status: Readable,
  result: () => JobExit,
): Promise<JobExit> {
  const gone = new Promise<void>((resolve, reject) => {
    launcher.on('exit', () => resolve()).on('error', reject)
  })
  const reported = new Promise<void>((resolve) => status.on('close', () => resolve()))
  try {
    await Promise.all([gone, reported])
    return result()
  } catch (error) {
    return { reason: 'start-failed', detail: (error as Error).message }
  }
}

function withoutReport(launcher: ChildProcess, hasStarted: boolean, isStopping: boolean): JobExit {
  if (isStopping) return { reason: 'killed', detail: 'stopped by the host' }
  const how = launcher.signalCode ?? `exit code ${launcher.exitCode}`
  return hasStarted
    ? { reason: 'killed', detail: `the sandbox died around the job (${how})` }
    : { reason: 'start-failed', detail: `the sandbox could not be set up (${how})` }
}

function terminate(launcher: ChildProcess, guestPid: number): void {
  const pid = launcher.pid && findGuestProcess(launcher.pid, guestPid)
  try {
    if (pid) process.kill(pid, 'SIGTERM')
  } catch {
    // It ended by itself in between; its exit is reported as such.
  }
}

function startFailed(errno: number, entrypoint: string): JobExit {
  const [code, text] = getSystemErrorMap().get(-errno) ?? [errnoName(errno), 'exec failed']
  // The file was there when it was looked for: what is missing is what runs it.
  const hint = code === 'ENOENT' ? '; is its interpreter in the image?' : ''
  return { reason: 'start-failed', detail: `${entrypoint}: ${text} (${code})${hint}` }
}

/** For the few that Node has no text for, such as ENOEXEC. */
function errnoName(errno: number): string {
  const name = Object.entries(constants.errno).find(([, number]) => number === errno)?.[0]
  return name ?? `errno ${errno}`
}

function fromWaitStatus(status: number): JobExit {
  const signal = status & 0x7f
  if (signal === 0) return { reason: 'exited', code: (status >> 8) & 0xff }
  const name = Object.entries(constants.signals).find(([, number]) => number === signal)?.[0]
  return { reason: 'signaled', signal: name ?? `SIG${signal}`, number: signal }
}

function readEnd(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false })
}

/** The job may end before it has read everything; that is not our failure. */
function writeEnd(fd: number): Writable {
  return new Socket({ fd, readable: false, writable: true }).on('error', () => {})
}
