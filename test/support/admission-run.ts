/**
 * `causeway run` with a job that does what a test tells it.
 * @module
 */
import { randomUUID } from 'node:crypto'
import { chownSync, existsSync, mkdirSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { childrenOf } from '../../runtime/src/sandbox/launcher/process-tree.ts'
import { agentProgram, type Agent, type Control } from './admission-agent.ts'
import { readLog, type Logged } from './admission-log.ts'
import type { Way } from './admission-ways.ts'
import { start, type Finished } from './causeway.ts'
import { writeDeployment } from './deployment.ts'

export interface RunOptions {
  way: Way
  /** A folder that every user may read; runs share it. */
  folder: string
  image: { url: string; sha256: string }
  control: Control
  /** The operator's configuration (TOML). */
  config?: string
}

/** What to execute for a run. */
export interface RunCommand {
  socket: string
  argv: readonly [string, ...string[]]
  environment: Record<string, string>
  /** The job's main process, once it runs. */
  main: Promise<Agent>
}

/** A daemon, its job maybe not yet. */
export interface OpenRun {
  socket: string
  main: Promise<Agent>
  /** The daemon. */
  pid: number
  logged: Logged
  finished: Promise<Finished>
  /** SIGTERM to the daemon; how it ended. */
  stop(): Promise<Finished>
}

/** A daemon and its job. */
export interface Run extends Omit<OpenRun, 'main'> {
  main: Agent
  launcher: number
  /** The launcher's child: PRoot, or the guest's init where there is none. */
  tracer: number
}

let runs = 0

/** Writes all that a run needs. */
export async function prepareRun(options: RunOptions): Promise<RunCommand> {
  const { way, folder, image, control, config = '' } = options
  const place = join(folder, `run-${++runs}`)
  const { environment, arrived } = control.expect()
  const file = await writeDeployment(place, {
    image,
    entrypoint: 'agent.py',
    files: { 'agent.py': `#!/usr/bin/env python3\n${agentProgram}` },
    deployment: { id: '1', environment },
  })
  // Agents report to a socket of the host.
  const network = '[network]\nmode = "shared"\n'
  await writeFile(join(place, 'config.toml'), `${network}${config}\n${way.config ?? ''}`)
  const socket = `causeway-test-${randomUUID()}`
  const where = ['--state', stateOf(way, folder), '--config', join(place, 'config.toml')]
  const args = ['run', file, '--socket', socket, '--allow-local-images', '--quiet', ...where]
  const argv = way.command(await makeStage(folder), args)
  return { socket, argv, environment: environmentIn(folder), main: arrived }
}

/** Resolves before the job runs, maybe long before. */
export async function openRun(options: RunOptions): Promise<OpenRun> {
  const { socket, argv, environment, main } = await prepareRun(options)
  const [program, ...args] = argv
  const { child, finished } = start(program, args, { env: environment, cwd: '/' })
  const stop = () => {
    child.kill('SIGTERM')
    return finished
  }
  return { socket, main, pid: child.pid!, logged: readLog(child.stderr!), finished, stop }
}

/** The run, once its job runs. */
export async function started({ main, ...run }: OpenRun): Promise<Run> {
  const ended = run.finished.then(({ stderr }) => Promise.reject(new Error(`ended: ${stderr}`)))
  const agent = await Promise.race([main, ended])
  // The only child that has children: others are programs that it asks something.
  const launcher = childrenOf(run.pid).find((pid) => childrenOf(pid).length > 0)!
  return { ...run, main: agent, launcher, tracer: childrenOf(launcher)[0]! }
}

/** Nothing of whoever runs the tests. */
export function environmentIn(folder: string): Record<string, string> {
  return { PATH: '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin', HOME: folder }
}

/** A state folder for each user; in one step, for runs that start at once. */
export function stateOf({ uid }: Pick<Way, 'uid'>, folder: string): string {
  const state = join(folder, `state-${uid}`)
  if (existsSync(state)) return state
  mkdirSync(state, { mode: 0o711 })
  chownSync(state, uid, -1)
  return state
}

export async function makeStage(folder: string) {
  const stage = { checkout: join(folder, 'checkout'), host: join(folder, 'host') }
  for (const path of Object.values(stage)) await mkdir(path, { recursive: true })
  return stage
}
