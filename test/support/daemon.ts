/**
 * `causeway daemon` as a process, and the traces that it may leave on the host.
 * @module
 */
import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { createControlClient, type ControlClient } from '../../runtime/src/control/client.ts'
import type {
  DeploymentDetail,
  DeploymentState,
  Inputs,
  LogEntry,
} from '../../runtime/src/control/protocol.ts'
import { causewayBin, start, type Finished } from './causeway.ts'

export type LogsQuery = Inputs['GET /v1/deployments/:id/logs']['query']

export interface DaemonProcess extends AsyncDisposable {
  child: ChildProcess
  pid: number
  finished: Promise<Finished>
  /** Resolves once it is ready; rejects when it ends before. */
  ready: Promise<void>
  client: ControlClient
  deploy(body: Inputs['POST /v1/deployments']['body']): Promise<DeploymentDetail>
  inspect(id: string): Promise<DeploymentDetail>
  reach(id: string, ...states: DeploymentState[]): Promise<DeploymentDetail>
  logs(id: string, query?: LogsQuery): Promise<LogEntry[]>
  /** Removes a deployment in whatever state, with its imported keys if wanted. */
  remove(id: string, options?: { keys?: boolean }): Promise<void>
  /** Sends SIGKILL, and waits for its end. */
  kill(): Promise<void>
  /** Sends SIGTERM, and waits for its end. */
  stop(): Promise<Finished>
}

export interface DaemonOptions {
  args?: readonly string[]
  /** Program and arguments before the command, such as setpriv. */
  prefix?: readonly string[]
  bin?: string
}

/** Starts a daemon on a state folder; it ends with SIGKILL when disposed. */
export function startDaemon(state: string, options: DaemonOptions = {}): DaemonProcess {
  const { args = [], prefix = [], bin = causewayBin } = options
  const command = [...prefix, process.execPath, bin, 'daemon', '--state', state, ...args]
  const { child, finished } = start(command[0]!, command.slice(1))
  const ready = Promise.race([
    once(createInterface({ input: child.stdout! }), 'line').then(() => {}),
    finished.then(({ stderr }) => Promise.reject(new Error(`the daemon ended: ${stderr}`))),
  ])
  // Not every test awaits it.
  ready.catch(() => {})
  const client = createControlClient(join(state, 'control.sock'), 'causeway daemon')
  const inspect = (id: string) => client.call('GET /v1/deployments/:id', { params: { id } })
  const kill = async () => {
    child.kill('SIGKILL')
    await finished
  }
  return {
    child,
    pid: child.pid!,
    finished,
    ready,
    client,
    deploy: (body) => client.call('POST /v1/deployments', { body }),
    inspect,
    kill,
    reach: (id, ...states) => reach(inspect, id, states),
    logs: (id, query = {}) => collect(client, id, query),
    async remove(id, { keys = false } = {}) {
      const query = { force: '1', keys: keys ? '1' : '0' } as const
      await client.call('DELETE /v1/deployments/:id', { params: { id }, query })
    },
    stop() {
      child.kill('SIGTERM')
      return finished
    },
    [Symbol.asyncDispose]: kill,
  }
}

/** Starts a daemon and waits until it is ready. */
export async function readyDaemon(state: string, options?: DaemonOptions): Promise<DaemonProcess> {
  const daemon = startDaemon(state, options)
  await daemon.ready
  return daemon
}

async function reach(
  inspect: (id: string) => Promise<DeploymentDetail>,
  id: string,
  states: readonly DeploymentState[],
): Promise<DeploymentDetail> {
  for (;;) {
    const detail = await inspect(id)
    if (states.includes(detail.state)) return detail
    await new Promise((resolve) => setTimeout(resolve, 50))
  }
}

async function collect(
  client: ControlClient,
  id: string,
  query: NonNullable<LogsQuery>,
): Promise<LogEntry[]> {
  const entries: LogEntry[] = []
  const lines = client.lines('GET /v1/deployments/:id/logs', { params: { id }, query })
  for await (const entry of lines) entries.push(entry)
  return entries
}

/** Command lines that contain a text: the state folder, or a word of the job's. */
export function processesWith(text: string): string[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .map(commandLine)
    .filter((line) => line.includes(text))
}

function commandLine(pid: string): string {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').replaceAll('\0', ' ')
  } catch {
    return ''
  }
}

/** Mounts of this namespace, and loop devices, that name a folder. */
export function mountsOf(folder: string): string[] {
  const mounts = readFileSync('/proc/self/mounts', 'utf8').split('\n')
  const loops = readdirSync('/sys/block')
    .map((name) => join('/sys/block', name, 'loop/backing_file'))
    .filter((path) => existsSync(path))
    .flatMap((path) => backingFile(path))
  return [...mounts, ...loops].filter((line) => line.includes(folder))
}

function backingFile(path: string): string[] {
  try {
    return [readFileSync(path, 'utf8')]
  } catch {
    // Detached meanwhile.
    return []
  }
}
