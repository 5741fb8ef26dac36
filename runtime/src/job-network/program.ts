/**
 * Runs the programs that configure networks (`ip`, `tc`, `nft`), also inside a network namespace.
 * @module
 */
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { startChild } from '@causeway/native/process'
import { ShortfallError } from '../errors/shortfall.ts'

/** Programs, and the Debian packages that contain them. */
const packageOf = {
  nft: 'nftables',
  ip: 'iproute2',
  tc: 'iproute2',
  nsenter: 'util-linux',
  setpriv: 'util-linux',
} as const
export type NetworkProgram = 'nft' | 'ip' | 'tc'

export interface ProgramOptions {
  /** Descriptor of the network namespace it runs in; default: that of this process. */
  inside?: number
  /** Passed on as descriptor 3, which `/proc/self/fd/3` names. */
  given?: number
  /** Written to its standard input. */
  input?: string
  /** Time after which the program is killed. */
  longestMs?: number
}

/** Longer than any program takes, and shorter than any caller waits. */
export const longestProgramMs = 10_000

/**
 * Runs a program to its end.
 * @returns its standard output
 * @throws Error with the first line of its standard error, or the package to install
 */
export async function runProgram(
  program: NetworkProgram,
  args: readonly string[],
  options: ProgramOptions,
): Promise<string> {
  const { longestMs = longestProgramMs } = options
  const child = await start(program, args, options)
  // Not spawn's timeout: if the program is missing, Node keeps that timer, and with it the process.
  const timer = setTimeout(() => child.kill('SIGKILL'), longestMs)
  // A program that ends without reading its input reports why.
  child.stdin!.on('error', () => {}).end(options.input ?? '')
  const ended = once(child, 'close') as Promise<[number | null, NodeJS.Signals | null]>
  const [output, said, [code, signal]] = await Promise.all([
    text(child.stdout!),
    text(child.stderr!),
    ended,
  ]).finally(() => clearTimeout(timer))
  if (code === 0) return output
  if (signal === 'SIGKILL') throw new Error(`${program}: still running after ${longestMs} ms`)
  throw complaint(program, said, code ?? signal)
}

/**
 * Starts `nft monitor`, which ends with this process.
 * @throws Error as `runProgram`
 */
export async function startMonitor(what: readonly string[]): Promise<ChildProcess> {
  const words = ['--pdeathsig', 'KILL', 'nft', 'monitor', ...what]
  return startNamed('setpriv', words, { stdio: ['ignore', 'pipe', 'ignore'] })
}

function start(
  program: NetworkProgram,
  args: readonly string[],
  { inside, given }: ProgramOptions,
): Promise<ChildProcess> {
  const passed = inside ?? given
  const stdio = ['pipe' as const, 'pipe' as const, 'pipe' as const]
  const options: SpawnOptions = { stdio: passed === undefined ? stdio : [...stdio, passed] }
  if (inside === undefined) return startNamed(program, args, options)
  return startNamed('nsenter', ['--net=/proc/self/fd/3', '--', program, ...args], options)
}

async function startNamed(
  program: keyof typeof packageOf,
  args: readonly string[],
  options: SpawnOptions,
): Promise<ChildProcess> {
  // An ordinary user's PATH lacks the folders of system programs.
  const env = { PATH: `${process.env['PATH'] ?? '/usr/bin:/bin'}:/usr/sbin:/sbin`, LC_ALL: 'C' }
  try {
    return await startChild(program, args, { ...options, env })
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw notInstalled(program, error)
  }
}

function notInstalled(program: keyof typeof packageOf, cause?: unknown): ShortfallError {
  const fix = `on Debian: apt-get install ${packageOf[program]}`
  return new ShortfallError(`${program} is not installed; ${fix}`, fix, { cause })
}

/** Why a program failed, from the first line of its standard error. */
function complaint(program: NetworkProgram, said: string, ending: number | string | null): Error {
  const line = firstLine(said)
  // The message of nsenter and setpriv.
  if (/failed to execute \S+: No such file/.test(line)) return notInstalled(program)
  return new Error(`${program}: ${line || `ended with ${ending}`}`)
}

/** Leaves out the position in the input, which means nothing without the input. */
function firstLine(said: string): string {
  const line = said.split('\n').find((one) => one.trim() !== '') ?? ''
  return line.replace(/^(?:\/dev\/stdin:[\d:-]+ )?(?:Error: )?/, '')
}
