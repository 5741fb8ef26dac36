/**
 * Runs the probe as a job of `causeway run`, beside another job of the same image.
 * @module
 */
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { readFileSync, readdirSync } from 'node:fs'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { run, start, type Finished } from '../support/causeway.ts'
import { writeDeployment } from '../support/deployment.ts'
import { parseAnswers, type Answers } from './answers.ts'
import type { EscapeHost, Told } from './host.ts'
import { asUser, giveTo, type DaemonUser } from './users.ts'

export interface Daemon {
  user: DaemonUser
  /** The command `causeway`. */
  bin: string
  /** Folder that everybody may pass through. */
  folder: string
  image: { url: string; sha256: string }
  /** Settings of the section `sandbox`. */
  sandbox?: Readonly<Record<string, string | number | boolean>>
}

export interface Job {
  name: string
  entrypoint?: string
  files: Readonly<Record<string, string | Buffer>>
  deployment?: object
}

const state = ({ folder }: Daemon) => join(folder, 'state')

async function commandOf(daemon: Daemon, job: Job): Promise<{ file: string; args: string[] }> {
  const own = join(daemon.folder, job.name)
  await mkdir(own, { recursive: true })
  const file = await writeDeployment(join(own, 'bundle'), { image: daemon.image, ...job })
  const config = join(own, 'config.toml')
  const settings = Object.entries(daemon.sandbox ?? {})
  const lines = settings.map(([name, value]) => `${name} = ${JSON.stringify(value)}\n`)
  await writeFile(config, `[sandbox]\n${lines.join('')}`)
  giveTo(daemon.user, own)
  const flags = ['--state', state(daemon), '--config', config, '--allow-local-images', '--quiet']
  return { file, args: [process.execPath, daemon.bin, 'run', file, ...flags] }
}

/** Runs a job to its end; `@PID@` in its deployment file becomes the daemon's pid. */
export async function runJob(daemon: Daemon, job: Job): Promise<Finished> {
  const { file, args } = await commandOf(daemon, job)
  const script = 'sed -i "s/@PID@/$$/" "$0" && exec "$@"'
  return run('sh', ['-c', script, file, ...args], optionsFor(daemon))
}

// A job that hangs must not outlive its test.
const longestMs = 150_000

function optionsFor({ user, folder }: Daemon) {
  const env = { PATH: '/usr/local/bin:/usr/bin:/bin', HOME: folder, WORDS: 'host secret' }
  return { ...asUser(user), env, cwd: '/', timeout: longestMs }
}

const neighbourScript = `echo "mine" > mine
trap 'cat mine; grep spoiled /etc/passwd; exit 3' TERM
echo ready
while :; do sleep 0.05; done`

/** Another job of the same image, which must see no effect of the probe. */
export interface Neighbour {
  /** Host path of a file in its root. */
  file: string
  /** Ends the job. @returns what it saw of its files */
  end(): Promise<Finished>
}

export async function startNeighbour(daemon: Daemon): Promise<Neighbour> {
  const { args } = await commandOf(daemon, {
    name: 'neighbour',
    files: { 'job.sh': neighbourScript },
  })
  const { child, finished } = start(args[0]!, args.slice(1), {
    ...optionsFor(daemon),
    timeout: 4 * longestMs,
  })
  const end = () => {
    child.kill('SIGTERM')
    return finished
  }
  try {
    const failed = finished.then(({ stderr }) => Promise.reject(new Error(`it ended: ${stderr}`)))
    await Promise.race([once(child.stdout!, 'data'), failed])
    failed.catch(() => {})
    // Root's jobs have a file system of their own: there the file is the image of that system.
    const file = findFile(join(state(daemon), 'deployments'), '/mine', '/bundle.zip')
    return { file, end }
  } catch (error) {
    await end()
    throw error
  }
}

/** Host path of a file of the image that jobs share. */
export function sharedFile(daemon: Daemon): string {
  return findFile(join(state(daemon), 'images'), '/etc/passwd')
}

/** Uses a program that skips folders that are closed to this user, as an overlay's is. */
function findFile(folder: string, ...endings: string[]): string {
  const patterns = endings.flatMap((ending) => ['-o', '-path', `*${ending}`]).slice(1)
  const args = [folder, '(', ...patterns, ')', '-print', '-quit']
  const found = spawnSync('find', args, { encoding: 'utf8' }).stdout.trim()
  if (found === '') throw new Error(`no file ${endings.join()} below ${folder}`)
  return found
}

export interface Probed extends Answers {
  finished: Finished
}

/** Runs the probe as a job that also overwrites a file of its image. */
export async function probe(
  daemon: Daemon,
  { host, program, told, args = '', entrypoint = 'job.sh', deployment = {} }: ProbeOptions,
): Promise<Probed> {
  const script = `echo spoiled >> /etc/passwd\nexec ./probe ${args}\n`
  const files = { 'job.sh': script, probe: await readFile(program) }
  const environment = host.environment(told)
  const spec = { ...deployment, environment }
  const job = { name: `probe-${++count}`, entrypoint, files, deployment: spec }
  const finished = await runJob(daemon, job)
  return { finished, ...parseAnswers(finished.stdout) }
}

let count = 0

export interface ProbeOptions {
  host: EscapeHost
  /** The compiled probe. */
  program: string
  told: Told
  /** Shell words: a family, and one of its attempts. */
  args?: string
  /** `probe` runs the program itself instead of the shell words. */
  entrypoint?: string
  deployment?: object
}

/** What jobs left behind: processes that mention the folder, mounts in it, folders of runs. */
export function leftovers(daemon: Daemon): string[] {
  const mounts = readFileSync('/proc/self/mountinfo', 'utf8').split('\n')
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name))
  return [
    ...mounts.filter((line) => line.includes(daemon.folder)),
    ...pids.map(commandLine).filter((line) => line.includes(state(daemon))),
    ...readdirSync(join(state(daemon), 'deployments')),
  ]
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
  } catch {
    return ''
  }
}

/** A folder in which a user's daemon may work, and which everybody may read. */
export async function daemonFolder(folder: string, user: DaemonUser): Promise<string> {
  const path = join(folder, `daemon-${user.uid ?? 'own'}-${++count}`)
  await mkdir(path)
  await chmod(path, 0o755)
  giveTo(user, path)
  return path
}
