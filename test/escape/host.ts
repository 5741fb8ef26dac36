/**
 * Targets that a job must not reach: files, sockets, a terminal, keys, shared memory and a process
 * of the host. Their modes open all of them to every user.
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import { lstatSync, readFileSync, readdirSync } from 'node:fs'
import { chmod, copyFile, mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { run } from '../support/causeway.ts'
import { asUser, giveTo, type DaemonUser } from './users.ts'

/** Further targets of the probe. */
export interface Told {
  /** Host path of a file of the unpacked image. */
  tree: string
  /** Host path of a file in the root of another job. */
  neighbour: string
  maxProcesses?: number
  maxMemory?: number
  maxStorage?: number
}

export interface EscapeHost extends AsyncDisposable {
  /** Variables of the probe; `@PID@` stands for the daemon's pid. */
  environment(told: Told): Record<string, string>
  /** Everything that a job could have changed: equal before and after. */
  state(): unknown
  /** The connections and datagrams that the host's process got. */
  readonly calls: readonly string[]
}

/** Files that attempts move, change or remove. */
const writable = ['victim', 'unlink', 'unlinkat', 'move']

/** @param program the compiled host-process.c */
export async function createHost(program: string, user: DaemonUser): Promise<EscapeHost> {
  // Not in /tmp: without namespaces PRoot has to write there, so its job can, too.
  const folder = await mkdtemp('/var/tmp/causeway-test-')
  await chmod(folder, 0o755)
  await makeFiles(folder)
  giveTo(user, folder)
  const key = randomInt(1, 2 ** 31 - 1)
  const { child, terminal, calls } = await startProcess(program, folder, key, user)
  const environment = ({ tree, neighbour, ...limits }: Told) => ({
    ...pathsIn(folder),
    HOST_TERMINAL: terminal,
    HOST_DISK: diskOfRoot(),
    HOST_TREE: tree,
    HOST_NEIGHBOUR: neighbour,
    HOST_PROCESS: String(child.pid),
    HOST_DAEMON: '@PID@',
    HOST_KEY: String(key),
    MAX_PROCESSES: String(limits.maxProcesses ?? 0),
    MAX_MEMORY: String(limits.maxMemory ?? 0),
    MAX_STORAGE: String(limits.maxStorage ?? 0),
  })
  return {
    environment,
    state: () => ({
      files: describeFolder(folder),
      process: processState(child),
      settings: kernelSettings.map((path) => readText(path)),
    }),
    calls,
    async [Symbol.asyncDispose]() {
      child.stdin?.end()
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit')
      // A process that a job has ended may leave this.
      await run('ipcrm', ['-M', String(key)])
      await rm(folder, { recursive: true })
    },
  }
}

async function makeFiles(folder: string): Promise<void> {
  await mkdir(join(folder, 'open/empty'), { recursive: true })
  await writeFile(join(folder, 'secret'), 'host secret\n', { mode: 0o644 })
  await symlink('target', join(folder, 'link'))
  await copyFile('/bin/true', join(folder, 'program'))
  await chmod(join(folder, 'program'), 0o755)
  for (const name of writable) {
    await writeFile(join(folder, 'open', name), 'as it was\n')
    await chmod(join(folder, 'open', name), 0o666)
  }
  for (const name of ['open', 'open/empty']) await chmod(join(folder, name), 0o777)
}

function pathsIn(folder: string): Record<string, string> {
  return {
    HOST_FOLDER: folder,
    HOST_SECRET: join(folder, 'secret'),
    HOST_LINK: join(folder, 'link'),
    HOST_OPEN: join(folder, 'open'),
    HOST_VICTIM: join(folder, 'open/victim'),
    HOST_PROGRAM: join(folder, 'program'),
    HOST_STREAM: join(folder, 'stream'),
    HOST_DATAGRAMS: join(folder, 'datagrams'),
  }
}

async function startProcess(program: string, folder: string, key: number, user: DaemonUser) {
  const child = spawn(program, [folder, String(key)], {
    stdio: ['pipe', 'pipe', 'inherit'],
    // The process has its own process group, which a job might signal.
    detached: true,
    ...asUser(user),
  })
  const lines = createInterface({ input: child.stdout })
  const [terminal] = (await once(lines, 'line')) as [string]
  const calls: string[] = []
  lines.on('line', (line) => calls.push(line))
  return { child, terminal, calls }
}

/** The device of "/"; where it has no node here, a device that nobody may open. */
function diskOfRoot(): string {
  const line = readText('/proc/self/mountinfo')
    .split('\n')
    .find((text) => text.split(' ')[4] === '/')
  const device = line?.split(' - ')[1]?.split(' ')[1] ?? ''
  return device.startsWith('/dev/') ? device : '/dev/sda'
}

function describeFolder(folder: string): Record<string, unknown> {
  const entries = readdirSync(folder, { recursive: true }) as string[]
  return Object.fromEntries(
    ['.', ...entries].sort().map((name) => {
      const path = join(folder, name)
      const { mode, uid, gid, nlink, mtimeMs, ctimeMs } = lstatSync(path)
      const content = name.includes('secret') || writable.includes(name.replace('open/', ''))
      return [name, { mode, uid, gid, nlink, mtimeMs, ctimeMs, text: content && readText(path) }]
    }),
  )
}

/** Letter of the process's state (proc(5)): a stopped process counts as changed. */
function processState({ pid }: ChildProcess): string | undefined {
  const stat = readText(`/proc/${pid}/stat`)
  const letter = /\) (\S) /.exec(stat)?.[1]
  return letter?.replace('R', 'S')
}

// Every daemon of this host turns forwarding on and off; the probe says whether a job could.
const kernelSettings = [
  '/proc/sys/kernel/hostname',
  '/proc/sys/kernel/domainname',
  '/proc/sys/kernel/core_pattern',
  '/proc/sys/vm/overcommit_memory',
  '/proc/sys/kernel/modprobe',
]

function readText(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch {
    return ''
  }
}
