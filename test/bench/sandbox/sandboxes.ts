/**
 * Ours, as it is built, with each backend.
 * @module
 */
import { once } from 'node:events'
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import type { Readable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { text } from 'node:stream/consumers'
import { built } from '../servers/built.ts'

const { openSandbox } =
  await built<typeof import('../../../runtime/src/sandbox/sandbox.ts')>('sandbox/sandbox')
const { loadConfig } =
  await built<typeof import('../../../runtime/src/config/config.ts')>('config/config')
const { jobEnvironment } = await built<
  typeof import('../../../runtime/src/sandbox/root/environment.ts')
>('sandbox/root/environment')

export const backends = ['proot', 'namespaces'] as const
export type BackendName = (typeof backends)[number]

/** A sandbox and a root to run programs in. */
export interface Bench {
  backend: BackendName
  /** For people. */
  name: string
  /** Whom the root has to belong to. */
  treeOwner: number
  /** Runs a program and gives what it printed. @throws Error when it fails */
  run(tree: string, command: readonly string[]): Promise<string>
  start(tree: string, command: readonly string[]): Promise<Running>
  /** Milliseconds from nothing to the first byte of a shell in the root. */
  msToOutput(tree: string): Promise<number>
  close(): Promise<void>
}

export interface Running {
  /** When it was asked for, as performance.now(). */
  began: number
  stdout: Readable
  kill(): void
  exited: Promise<{ reason: string }>
}

/** @param folder for the folders of jobs */
export async function openBench(backend: BackendName, folder: string): Promise<Bench> {
  const config = loadConfig(undefined)
  await mkdir(folder, { mode: 0o711 })
  const sandbox = await openSandbox({ ...config.sandbox, backend }, folder)
  sandbox.keepSpare()
  let count = 0
  const start = async (tree: string, command: readonly string[]) => {
    const began = performance.now()
    const own = join(folder, String(count++))
    await mkdir(own, { mode: 0o700 })
    const limits = { memoryBytes: 4e9, storageBytes: 4e9, processes: 512 }
    const place = sandbox.reserve({ folder: own, limits, workFolder: '/' })
    const mounted = await place.mount(tree)
    const job = mounted.start({ command, environment: jobEnvironment({}, {}), admit: () => {} })
    job.stderr.pipe(process.stderr, { end: false })
    const exited = job.exited.then(async (exit) => {
      place.release()
      return exit
    })
    return { began, stdout: job.stdout, kill: () => job.kill(), exited }
  }
  return {
    backend,
    name: sandbox.name,
    treeOwner: config.sandbox.uidBase + 65_536,
    start,
    async msToOutput(tree) {
      // As long as a daemon has between two jobs: its spare launcher is there again.
      await pause(250)
      const { began, stdout, exited } = await start(tree, ['/bin/sh', '-c', 'echo here'])
      await once(stdout, 'data')
      const took = performance.now() - began
      stdout.resume()
      await exited
      return took
    },
    close: () => sandbox.close(),
    async run(tree, command) {
      const { stdout, exited } = await start(tree, command)
      const [said, exit] = await Promise.all([text(stdout), exited])
      if (exit.reason !== 'exited') throw new Error(`${command.join(' ')}: ${JSON.stringify(exit)}`)
      return said
    },
  }
}
