/** Starts a launcher process, and keeps the host's ends of its pipes and socket. @module */
import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { chownFd, closeFd, createPipe, spawnChild, type Pipe } from '@causeway/native/process'
import { orUndoNow } from '@causeway/service/failure'
import { StartError } from '../../errors/start-error.ts'
import { launcherCommand } from './launcher.ts'

export interface LauncherProcess {
  child: ChildProcess
  /** Socket on which the launcher reports its progress and receives commands. */
  control: Duplex
  stdout: Readable
  stderr: Readable
  /** Reports of the guest's init. */
  records: Readable
  /** Pipe from which the guest's init reads what to run. */
  start: Socket
  /** Makes a user the owner of the output pipes, so that the job may open `/dev/stdout`. */
  giveOutput(uid: number): void
  /** Kills the launcher and closes our ends. */
  discard(): void
}

/**
 * Starts a launcher by its command line; `child` may emit the error of a failed start a tick later.
 * @throws StartError SANDBOX_UNAVAILABLE, or the system error of a pipe; no descriptor stays open
 */
export function startLauncher(
  cgroups: readonly string[],
  options: readonly string[],
): LauncherProcess {
  return startWith(cgroups, options).launcher
}

/** A launcher that has joined its control groups and waits for its options. */
export interface SpareProcess {
  launcher: LauncherProcess
  tell(options: readonly string[]): LauncherProcess
}

/**
 * Starts a spare launcher. Until `tell` it is unref'd, so an idle daemon can exit.
 * @param options those known before there is a job
 * @param storage fd of the file system image to mount
 */
export function startSpare(
  cgroups: readonly string[],
  options: readonly string[],
  storage?: number,
): SpareProcess {
  const { launcher, sockets } = startWith(cgroups, options, storage)
  const { child } = launcher
  for (const one of [child, ...sockets]) one.unref()
  return {
    launcher,
    tell(words) {
      for (const one of [child, ...sockets]) one.ref()
      launcher.control.write([...words, ''].map((text) => `${text}\0`).join(''))
      return launcher
    },
  }
}

function startWith(cgroups: readonly string[], options: readonly string[], storage?: number) {
  const pipes = createPipes()
  const child = spawnWith(pipes, [...launcherCommand(cgroups), ...options], storage)
  const { out, err, start, records } = pipes
  const near = {
    stdout: readEnd(out.readFd),
    stderr: readEnd(err.readFd),
    records: readEnd(records.readFd),
    start: writeEnd(start.writeFd),
  }
  const ends = { ...near, control: controlOf(child) }
  child.on('error', () => {
    if (!isThere(child)) for (const end of Object.values(near)) end.destroy()
  })
  child.on('close', () => ends.start.destroy())
  const launcher: LauncherProcess = {
    child,
    ...ends,
    giveOutput(uid) {
      for (const fd of [out.readFd, err.readFd]) chownFd(fd, uid)
    },
    discard() {
      if (isThere(child)) child.kill('SIGKILL')
      for (const end of Object.values(ends)) end.destroy()
    },
  }
  return { launcher, sockets: Object.values(ends) }
}

type Pipes = Record<'out' | 'err' | 'start' | 'records', Pipe>

function createPipes(): Pipes {
  const made: Pipe[] = []
  const make = () => {
    const pipe = createPipe()
    made.push(pipe)
    return pipe
  }
  return orUndoNow(
    () => ({ out: make(), err: make(), start: make(), records: make() }),
    () => closeAll(made.flatMap(({ readFd, writeFd }) => [readFd, writeFd])),
  )
}

/** Starts the launcher with the far ends of the pipes, and closes these ends in this process. */
function spawnWith(
  { out, err, start, records }: Pipes,
  [program, ...args]: readonly string[],
  storage: number | undefined,
): ChildProcess {
  const given = [out.writeFd, err.writeFd, start.readFd, records.writeFd]
  const more = storage === undefined ? [] : [storage]
  try {
    return spawnChild(program!, args, { stdio: ['ignore', ...given, 'pipe', ...more], env: {} })
  } catch (cause) {
    closeAll([out.readFd, err.readFd, start.writeFd, records.readFd])
    throw new StartError('SANDBOX_UNAVAILABLE', (cause as Error).message, { cause })
  } finally {
    closeAll(given)
  }
}

function closeAll(descriptors: readonly number[]): void {
  for (const fd of descriptors) closeFd(fd)
}

/** A child that could not be started has no pid, and its `kill()` signals our own process group. */
function isThere({ pid }: ChildProcess): boolean {
  return pid !== undefined
}

/** Without a child the socket stays open: its user waits for the child's `error` event. */
function controlOf({ stdio }: { stdio?: readonly unknown[] }): Socket {
  // Node makes no streams when no descriptor is free.
  const control = (stdio?.[5] ?? new Socket()) as Socket
  // The launcher's exit reports the failure.
  return control.on('error', () => {})
}

function readEnd(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false })
}

/** Ignores write errors: a job may end before its init has read everything. */
function writeEnd(fd: number): Socket {
  return new Socket({ fd, readable: false, writable: true }).on('error', () => {})
}
