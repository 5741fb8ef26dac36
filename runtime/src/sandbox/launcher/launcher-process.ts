/**
 * A launcher that was started, and the near ends of its descriptors.
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { spawnChild } from '@causeway/native'
import { chownFd, closeFd, createPipe, type Pipe } from '@causeway/native'
import { StartError } from '../../errors/start-error.ts'
import { launcherCommand } from './launcher.ts'

export interface LauncherProcess {
  child: ChildProcess
  /** Where it says what it did, and is told to go on. */
  control: Duplex
  stdout: Readable
  stderr: Readable
  /** What the guest's init reports. */
  records: Readable
  /** Where the guest's init reads what to run. */
  start: Socket
  /** Gives the job's output to a user, so that the job may open `/dev/stdout`. */
  giveOutput(uid: number): void
  /** Ends it, whatever it is doing. */
  discard(): void
}

/**
 * A launcher told by its command line; why it cannot be started its `child` may tell on the next tick.
 * @throws StartError SANDBOX_UNAVAILABLE, or the system error of a pipe; nothing is left then
 */
export function startLauncher(
  cgroups: readonly string[],
  options: readonly string[],
): LauncherProcess {
  return startWith(cgroups, options).launcher
}

/** A launcher that has joined its groups and waits to be told what to do. */
export interface SpareProcess {
  launcher: LauncherProcess
  tell(options: readonly string[]): LauncherProcess
}

/**
 * It does not keep a daemon from ending that has nothing else to do, before it is told.
 * @param options what it can do before
 * @param storage descriptor of a file with a file system, for that
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
  try {
    return { out: make(), err: make(), start: make(), records: make() }
  } catch (error) {
    for (const { readFd, writeFd } of made) closeAll([readFd, writeFd])
    throw error
  }
}

/** Starts it with the far ends of the pipes, which are closed here. */
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

/** Stays open when there is no child: what its user waits for is the error of that. */
function controlOf({ stdio }: { stdio?: readonly unknown[] }): Socket {
  // Without a descriptor to be had Node makes no streams at all.
  const control = (stdio?.[5] ?? new Socket()) as Socket
  // Its end is told by the launcher's own.
  return control.on('error', () => {})
}

function readEnd(fd: number): Socket {
  return new Socket({ fd, readable: true, writable: false })
}

/** The job may end before it has read everything; that is not our failure. */
function writeEnd(fd: number): Socket {
  return new Socket({ fd, readable: false, writable: true }).on('error', () => {})
}
