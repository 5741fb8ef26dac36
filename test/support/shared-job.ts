/**
 * A job in the network of its host: the probe, as a user of its own in control groups of its own.
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
  /** Runs the probe as the job, and answers what it printed. @param words command and its arguments */
  probe<One = Answer>(...words: (string | number)[]): Promise<One>
  /** Runs any program as the job. */
  run(...words: string[]): ReturnType<typeof run>
  /** A server of the job on a port of the host, until disposed. */
  serve(port: number): Promise<StartedServer>
  /** Goes on in control groups of its own. */
  restart(): Promise<void>
  admit(addresses: readonly AdmittedAddress[]): Promise<void>
  revoke(addresses: readonly string[]): Promise<void>
  counters(): Promise<NetworkCounters>
  state(): Promise<NetworkState>
  release(): Promise<void>
}

export interface SharedJobOptions {
  maxConnections?: number
  /** Of the job's ids. */
  count?: number
  /** Default one of its own. */
  deployment?: string
  networks?: NetworksProcess
  /** Whether its control groups are known to the network; default true. */
  isAttached?: boolean
}

let nextUid = 1_800_000_000

type OpenOptions = SharedJobOptions & {
  lab: NetworkLab
  networks: NetworksProcess
  program: string
}

/** Opens its network. */
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
