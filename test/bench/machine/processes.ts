/**
 * The processes of a run: none outlives the run.
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'

/** A program that prints one line when it is ready. */
export interface Running {
  pid: number
  /** Sends SIGTERM, and SIGKILL when the process does not end in time. */
  stop: () => Promise<void>
}

export interface Processes {
  /** Starts a server and waits for its first line. @throws Error with any other output */
  start(command: readonly string[]): Promise<Running>
  /** Runs a program; resolves with its stdout. @throws Error when it fails or takes too long */
  run(command: readonly string[], timeoutMs: number): Promise<string>
  /** Stops all running processes; none can be started afterwards. */
  stopAll: () => Promise<void>
  /** Kills them all at once, when there is no time left. */
  killAll: () => void
}

const readyTimeoutMs = 120_000
const stopTimeoutMs = 15_000

export function createProcesses(): Processes {
  const alive = new Set<ChildProcess>()
  let isOver = false

  const launch = (command: readonly string[]) => {
    if (isOver) throw new Error('the run is over')
    const [program = '', ...args] = command
    const child = spawn(program, args, { stdio: ['ignore', 'pipe', 'pipe'] })
    alive.add(child)
    child.on('error', () => alive.delete(child)).on('close', () => alive.delete(child))
    return child
  }

  return {
    async start(command) {
      const child = launch(command)
      await within(readyTimeoutMs, command, child, firstLineOf(child))
      return { pid: child.pid!, stop: () => stop(child) }
    },
    async run(command, timeoutMs) {
      const child = launch(command)
      return await within(timeoutMs, command, child, outputOf(child))
    },
    async stopAll() {
      isOver = true
      await Promise.all([...alive].map(stop))
    },
    killAll() {
      isOver = true
      alive.forEach((child) => child.kill('SIGKILL'))
    },
  }
}

/** Kills a program that is late; the error names the program. */
async function within<T>(
  timeoutMs: number,
  command: readonly string[],
  child: ChildProcess,
  result: Promise<T>,
): Promise<T> {
  const timer = setTimeout(() => child.kill('SIGKILL'), timeoutMs)
  try {
    return await result
  } catch (cause) {
    throw new Error(`${command.join(' ')}: ${(cause as Error).message}`, { cause })
  } finally {
    clearTimeout(timer)
  }
}

function firstLineOf(child: ChildProcess): Promise<string> {
  const errors = collect(child, 'stderr')
  // Keep reading, or the output would fill the pipe.
  const lines = createInterface({ input: child.stdout! })
  return new Promise((resolve, reject) => {
    lines.once('line', resolve)
    child.once('error', reject)
    child.once('close', (code, signal) =>
      reject(new Error(`ended (${signal ?? code}) before it was ready: ${errors()}`)),
    )
  })
}

function outputOf(child: ChildProcess): Promise<string> {
  const output = collect(child, 'stdout')
  const errors = collect(child, 'stderr')
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) =>
      code === 0 ? resolve(output()) : reject(new Error(`${signal ?? code}: ${errors()}`)),
    )
  })
}

/** The output so far; only its end if it is long. */
function collect(child: ChildProcess, stream: 'stdout' | 'stderr'): () => string {
  let text = ''
  child[stream]!.setEncoding('utf8').on('data', (part: string) => {
    text = (text + part).slice(-8192)
  })
  return () => text.trim()
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  const timer = setTimeout(() => child.kill('SIGKILL'), stopTimeoutMs)
  await closed
  clearTimeout(timer)
}
