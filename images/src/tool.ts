/**
 * Runs the host's programs (xz, zstd, tar, ...): without our environment, keeping only the end of
 * their stderr, and with an exit that callers can await.
 *
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { existsSync } from 'node:fs'
import type { Readable, Writable } from 'node:stream'
import { ImageError } from './image-error.ts'
import { errorCode, orUndo } from '@causeway/service/failure'
import { startChild } from '@causeway/native/process'

/** User and folder of a program; default: our own user, in `/`. */
export interface ToolOptions {
  cwd?: string
  uid?: number
  gid?: number
  /** Added to PATH and LC_ALL, the only variables the program gets. */
  env?: Readonly<Record<string, string>>
}

/** How a program ended. */
export interface ToolExit {
  /** Its exit status; -1 when a signal ended it. */
  code: number
  /** The last line on its stderr; `''` when there was none. */
  lastLine: string
}

/** A running program. */
export interface Tool {
  name: string
  stdin: Writable
  stdout: Readable
  exit: Promise<ToolExit>
  /** Kills it at once; does nothing once it has ended. */
  kill: () => void
}

/** Debian package of every program that this package runs, for the command to type. */
const packageOf: Readonly<Record<string, string>> = {
  xz: 'xz-utils',
  zstd: 'zstd',
  tar: 'tar',
  rm: 'coreutils',
  chmod: 'coreutils',
  'apt-get': 'apt',
  dpkg: 'dpkg',
  'dpkg-deb': 'dpkg',
}

const path = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const maxStderrBytes = 4096

/**
 * Starts a program with pipes for stdin and stdout.
 *
 * @throws ImageError IMAGE_BUILD_FAILED when it is not installed; other system errors as they are
 */
export async function startTool(
  name: string,
  args: readonly string[],
  options: ToolOptions = {},
): Promise<Tool> {
  const { env, cwd = '/', ...identity } = options
  const child = await startChild(name, args, {
    ...identity,
    cwd,
    env: { PATH: path, LC_ALL: 'C', ...env },
    stdio: ['pipe', 'pipe', 'pipe'],
  }).catch((error: unknown) => Promise.reject(startFailure(name, cwd, error)))
  const exit = waitForExit(child)
  const stdin = child.stdin!
  // A program that ends early breaks its pipe; its exit, which we report, says why.
  stdin.on('error', () => {})
  return { name, stdin, stdout: child.stdout!, exit, kill: () => void child.kill('SIGKILL') }
}

/**
 * Runs a program to its end without input.
 *
 * @returns its stdout
 * @throws ImageError IMAGE_BUILD_FAILED with its last line; the signal's reason when aborted
 */
export async function runTool(
  name: string,
  args: readonly string[],
  options: ToolOptions & { signal?: AbortSignal | undefined } = {},
): Promise<string> {
  const { signal, ...rest } = options
  signal?.throwIfAborted()
  const tool = await startTool(name, args, rest)
  signal?.addEventListener('abort', tool.kill, { once: true })
  if (signal?.aborted === true) tool.kill()
  tool.stdin.end()
  const output: Buffer[] = []
  tool.stdout.on('data', (chunk: Buffer) => output.push(chunk))
  const exit = await tool.exit.finally(() => signal?.removeEventListener('abort', tool.kill))
  signal?.throwIfAborted()
  if (exit.code === 0) return Buffer.concat(output).toString('utf8')
  throw new ImageError('IMAGE_BUILD_FAILED', `${name} failed: ${describeExit(exit)}`)
}

/**
 * True when a pipe broke only because the program at its other end had ended. That may be right
 * (tar stops reading at the end mark) or wrong: the program's exit says which.
 */
export function isBrokenPipe(error: unknown): boolean {
  const code = errorCode(error) ?? ''
  return ['EPIPE', 'ERR_STREAM_PREMATURE_CLOSE', 'ERR_STREAM_DESTROYED'].includes(code)
}

/** Starts a program that reads the output of `source`; kills `source` if it cannot be started. */
export async function startReader(
  source: Tool,
  name: string,
  args: readonly string[],
  options?: ToolOptions,
): Promise<Tool> {
  const end = () => {
    source.kill()
    return source.exit
  }
  return orUndo(() => startTool(name, args, options), end)
}

/** The last line of a program's stderr, or its exit status when there was none. */
export function describeExit(exit: ToolExit): string {
  if (exit.lastLine !== '') return exit.lastLine
  return exit.code === -1 ? 'ended by a signal' : `exit status ${exit.code}`
}

function waitForExit(child: ChildProcess): Promise<ToolExit> {
  const stderr = collectTail(child.stderr!)
  // A failed kill emits an error; the program then ends by itself.
  child.on('error', () => {})
  return new Promise((resolve) => {
    child.on('close', (code) => resolve({ code: code ?? -1, lastLine: lastLineOf(stderr()) }))
  })
}

function startFailure(name: string, cwd: string, error: unknown): unknown {
  // ENOENT can also mean a missing working folder; only a missing program gets the other message.
  if (errorCode(error) !== 'ENOENT' || !existsSync(cwd)) return error
  const message = `${name} is not installed; type: apt-get install ${packageOf[name] ?? name}`
  return new ImageError('IMAGE_BUILD_FAILED', message, { cause: error })
}

/** Keeps only the end: a hostile archive can make a program print errors forever. */
export function collectTail(stream: Readable): () => string {
  let tail = Buffer.alloc(0)
  stream.on('data', (chunk: Buffer) => {
    tail = Buffer.concat([tail, chunk]).subarray(-maxStderrBytes)
  })
  return () => tail.toString('utf8')
}

/** Removes control characters; skips GNU tar's last line, which only refers to others. */
function lastLineOf(text: string): string {
  const lines = text.split('\n').filter((line) => line.trim() !== '')
  const last = lines.findLast((line) => !line.includes('Exiting with failure status')) ?? ''
  return last.replace(/\p{Cc}/gu, '?').slice(0, 300)
}
