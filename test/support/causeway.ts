import { spawn, type ChildProcess, type SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** The command as npm links it. */
export const causewayBin = fileURLToPath(new URL('../../runtime/bin/causeway.js', import.meta.url))

/** The end of a command. */
export interface Finished {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
}

/** Starts any program and collects what it prints. */
export function start(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): { child: ChildProcess; finished: Promise<Finished> } {
  const { input, ...spawnOptions } = options
  const child = spawn(program, args, { ...spawnOptions, stdio: ['pipe', 'pipe', 'pipe'] })
  const text = { stdout: '', stderr: '' }
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => (text.stdout += chunk))
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (text.stderr += chunk))
  child.stdin?.on('error', () => {}).end(input ?? '')
  const finished = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...text,
  }))
  return { child, finished }
}

/** Runs any program to its end. */
export function run(
  program: string,
  args: readonly string[],
  options: SpawnOptions & { input?: string } = {},
): Promise<Finished> {
  return start(program, args, options).finished
}

/** Runs the `causeway` command to its end. */
export function causeway(args: readonly string[], options: SpawnOptions = {}): Promise<Finished> {
  return run(process.execPath, [causewayBin, ...args], options)
}

/** The line that `causeway serve` prints when it is ready. */
export interface ReadyLine {
  socket: string
  deployment: string
  processor: string
  pid: number
}

/** Runs `causeway serve` until disposed. */
export async function serve(
  args: readonly string[],
  node = process.execPath,
): Promise<
  AsyncDisposable & { ready: ReadyLine; child: ChildProcess; finished: Promise<Finished> }
> {
  const { child, finished } = start(node, [causewayBin, 'serve', ...args])
  const lines = createInterface({ input: child.stdout! })
  const first = await Promise.race([
    once(lines, 'line').then(([line]) => line as string),
    finished.then((end) => Promise.reject(new Error(`serve ended: ${end.stderr}`))),
  ])
  return {
    ready: JSON.parse(first) as ReadyLine,
    child,
    finished,
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await finished
    },
  }
}
