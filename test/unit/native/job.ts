/**
 * Runs programs under the built launcher and guest init, as root's job and as an ordinary user's.
 *
 * @module
 */
import { execFileSync, spawn } from 'node:child_process'
import type { ChildProcess, SpawnOptions } from 'node:child_process'
import { chmodSync, copyFileSync, existsSync, mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { afterAll, onTestFinished } from 'vitest'
import { removeTree } from '@causeway/images'
import { nativePaths } from '@causeway/native'

export const isRoot = process.getuid?.() === 0

/** Debian's `nobody`. */
export const ordinaryUid = 65534

/** A folder that every user may read, gone after the file's tests. */
export const folder = mkdtempSync(join(tmpdir(), 'causeway-native-'))
chmodSync(folder, 0o755)
// An overlay leaves folders in it that nobody may look into.
afterAll(() => removeTree(folder))

/** A copy that every user may run: the checkout itself may lie in a closed home folder. */
function publicCopy(path: string): string {
  const copy = join(folder, basename(path))
  copyFileSync(path, copy)
  chmodSync(copy, 0o755)
  return copy
}

export const launcher = publicCopy(nativePaths.launcher)
export const guestInit = publicCopy(nativePaths.guestInit)

/** Who starts the launcher, and the options that give the job its user. */
export interface Starter {
  name: string
  spawn: SpawnOptions
  options: string[]
}

const identity = [`--uid`, `${ordinaryUid}`, `--gid`, `${ordinaryUid}`]
const asRoot: Starter = { name: 'root', spawn: {}, options: identity }
const asOrdinaryUser: Starter = {
  name: 'an ordinary user',
  spawn: isRoot ? { uid: ordinaryUid, gid: ordinaryUid } : {},
  options: [],
}

export const starters = isRoot ? [asRoot, asOrdinaryUser] : [asOrdinaryUser]

/** What `--probe` tells a starter. */
export interface Probe {
  namespaces: boolean
  namespacesError: string | null
  landlockAbi: number
  seccomp: boolean
  filters: boolean
}

export function probe(starter: Starter): Probe {
  const { uid, gid } = starter.spawn
  const user = uid === undefined || gid === undefined ? {} : { uid, gid }
  return JSON.parse(execFileSync(launcher, ['--probe'], { encoding: 'utf8', ...user })) as Probe
}

/** Starters with and, where this machine allows them, without namespaces. */
export const ways = starters.flatMap((starter) => [
  { way: starter.name, starter, options: starter.options, namespaces: false },
  ...(probe(starter).namespaces
    ? [
        {
          way: `${starter.name}, in namespaces`,
          starter,
          options: [...starter.options, '--namespaces'],
          namespaces: true,
        },
      ]
    : []),
])

/** How a program ended, with all it wrote. */
export interface Ended {
  code: number | null
  signal: NodeJS.Signals | null
  stdout: string
  stderr: string
  /** Descriptor 4, when it was asked for. */
  records: Buffer
}

type Streams = [stdout: Buffer, stderr: Buffer, records: Buffer]

/** Collects a child's output until it and its pipes are closed. */
export function ended(child: ChildProcess): Promise<Ended> {
  const parts = [1, 2, 4].map((fd) => collect(child, fd))
  return new Promise((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code, signal) => {
      const [stdout, stderr, records] = parts.map((chunks) => Buffer.concat(chunks)) as Streams
      resolve({ code, signal, stdout: stdout.toString(), stderr: stderr.toString(), records })
    })
  })
}

function collect(child: ChildProcess, fd: number): Buffer[] {
  const chunks: Buffer[] = []
  const stream = child.stdio[fd]
  if (stream && 'read' in stream) stream.on('data', (chunk: Buffer) => chunks.push(chunk))
  return chunks
}

/** Starts the launcher until the test is over; the environment of the test is not passed on. */
export function launch(starter: Starter, args: string[], spawnOptions: SpawnOptions = {}) {
  const child = spawn(launcher, args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {},
    ...starter.spawn,
    ...spawnOptions,
  })
  onTestFinished(() => void child.kill('SIGTERM'))
  return child
}

/** Starts the launcher and waits for its end. */
export function run(starter: Starter, args: string[], spawnOptions: SpawnOptions = {}) {
  return ended(launch(starter, args, spawnOptions))
}

/** Compiles a C program for the tests; `undefined` when the compiler is not installed. */
export function compile(name: string, source: string, compiler = 'cc', flags: string[] = []) {
  const output = join(folder, name)
  if (!isInstalled(compiler)) return undefined
  execFileSync(compiler, ['-O1', '-x', 'c', '-', '-o', output, ...flags], { input: source })
  return output
}

/** Whether a command is on PATH. */
export function isInstalled(command: string): boolean {
  return (process.env['PATH'] ?? '')
    .split(':')
    .some((directory) => existsSync(join(directory, command)))
}
