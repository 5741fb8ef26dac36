/**
 * A launcher that was started, and the near ends of its descriptors.
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { Socket } from 'node:net'
import type { Duplex, Readable } from 'node:stream'
import { chownFd, closeFd, createPipe } from '@causeway/native'
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

/** A launcher told by its command line. */
export function startLauncher(
  cgroups: readonly string[],
  options: readonly string[],
): LauncherProcess {
  const [out, err, start, records] = [createPipe(), createPipe(), createPipe(), createPipe()]
  const [program, ...args] = [...launcherCommand(cgroups), ...options]
  const child = spawn(program!, args, {
    stdio: ['ignore', out.writeFd, err.writeFd, start.readFd, records.writeFd, 'pipe'],
    env: {},
  })
  for (const fd of [out.writeFd, err.writeFd, start.readFd, records.writeFd]) closeFd(fd)
  const ends = {
    stdout: readEnd(out.readFd),
    stderr: readEnd(err.readFd),
    records: readEnd(records.readFd),
    start: writeEnd(start.writeFd),
    // Its end is told by the launcher's own.
    control: ((child.stdio as readonly unknown[])[5] as Duplex).on('error', () => {}),
  }
  child.on('close', () => ends.start.destroy())
  return {
    child,
    ...ends,
    giveOutput(uid) {
      for (const fd of [out.readFd, err.readFd]) chownFd(fd, uid)
    },
    discard() {
      child.kill('SIGKILL')
      for (const end of Object.values(ends)) end.destroy()
    },
  }
}

/** A launcher that has joined its groups and waits for its options. */
export function startSpare(cgroups: readonly string[]): LauncherProcess {
  const spare = startLauncher(cgroups, ['--spare'])
  // It must not keep a daemon from ending that has nothing else to do.
  spare.child.unref()
  for (const end of [spare.control, spare.stdout, spare.stderr, spare.records, spare.start]) {
    if (end instanceof Socket) end.unref()
  }
  return spare
}

/** Tells a spare launcher what to do. */
export function useSpare(spare: LauncherProcess, options: readonly string[]): void {
  spare.child.ref()
  for (const end of [spare.control, spare.stdout, spare.stderr, spare.records, spare.start]) {
    if (end instanceof Socket) end.ref()
  }
  spare.control.write([...options, ''].map((text) => `${text}\0`).join(''))
}

function readEnd(fd: number): Readable {
  return new Socket({ fd, readable: true, writable: false })
}

/** The job may end before it has read everything; that is not our failure. */
function writeEnd(fd: number): Socket {
  return new Socket({ fd, readable: false, writable: true }).on('error', () => {})
}
