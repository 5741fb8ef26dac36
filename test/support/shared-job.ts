/**
 * A job in the network of its host: the probe, with its own user and control groups.
 * @module
 */
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { NetworkCounters, NetworkState } from '../../runtime/src/job-network/contract.ts'
import type { AdmittedAddress } from '../../runtime/src/job-network/contract.ts'
import { openCgroups } from '../../runtime/src/cgroup/cgroup.ts'
import { run } from './causeway.ts'
import type { NetworkLab } from './network-lab.ts'
import type { Answer } from './network-probe.ts'
import type { NetworksProcess } from './shared-networks-process.ts'
import { runProbe, startServer, type StartedServer } from './shared-programs.ts'

export interface SharedJob extends AsyncDisposable {
  uid: number
  /** Runs the probe as the job; returns its answer. @param words command and its arguments */
  probe<One = Answer>(...words: (string | number)[]): Promise<One>
  /** Runs any program as the job. */
  run(...words: string[]): ReturnType<typeof run>
  /** Runs a server of the job on a port of the host, until disposed. */
  serve(port: number): Promise<StartedServer>
  /** Moves the job to new control groups. */
  restart(): Promise<void>
  admit(addresses: readonly AdmittedAddress[]): Promise<void>
  revoke(addresses: readonly string[]): Promise<void>
  counters(): Promise<NetworkCounters>
  state(): Promise<NetworkState>
  release(): Promise<void>
}

export interface SharedJobOptions {
  maxConnections?: number
  /** How many ids the job has. */
  count?: number
  /** Default: a deployment of its own. */
  deployment?: string
  networks?: NetworksProcess
  /** Whether the network knows its control groups; default true. */
  isAttached?: boolean
}

let nextUid = 1_800_000_000

type OpenOptions = SharedJobOptions & {
  lab: NetworkLab
  networks: NetworksProcess
  program: string
}

/** Opens the job's network. */
export async function openSharedJob(options: OpenOptions): Promise<SharedJob> {
  const { lab, networks, program, count = 1, maxConnections = 0 } = options
  const uid = nextUid
  nextUid += 100_000
  const { deployment = `${uid}`, isAttached = true } = options
  await networks.ask(deployment, 'open', { deployment, uid, count, maxConnections })
  let groups = openCgroups().create()
  const attach = (folders: readonly string[]) => networks.ask(deployment, 'attach', folders)
  if (isAttached) await attach(groups.folders)
  const id = uid + count - 1
  const prefix = () => [...lab.host.prefix, ...inGroup(groups.folders), ...asUser(id)]
  return {
    uid,
    run(...words) {
      const [first, ...rest] = [...prefix(), ...words]
      return run(first!, rest)
    },
    probe: (...words) => runProbe(prefix(), program, words),
    serve: (port) => startServer([...prefix(), program, 'it', 'serve', String(port)]),
    async restart() {
      await groups.remove()
      groups = openCgroups().create()
      await attach(groups.folders)
    },
    admit: (addresses) => networks.ask(deployment, 'admit', addresses),
    revoke: (addresses) => networks.ask(deployment, 'revoke', addresses),
    counters: () => networks.ask<NetworkCounters>(deployment, 'counters'),
    state: () => networks.ask<NetworkState>(deployment, 'state'),
    release: () => networks.ask(deployment, 'release'),
    [Symbol.asyncDispose]: () => groups.remove(),
  }
}

function inGroup(folders: readonly string[]): string[] {
  const unified = folders.find((path) => existsSync(join(path, 'cgroup.controllers')))!
  return ['sh', '-c', 'echo $$ > "$0/cgroup.procs" && exec "$@"', unified]
}

function asUser(id: number): string[] {
  return ['setpriv', `--reuid=${id}`, `--regid=${id}`, '--clear-groups', '--no-new-privs']
}
