/**
 * Composition root of the daemon: opens one host, its deployments and the control socket.
 * @module
 */
import { join } from 'node:path'
import { closeFd, lockFile } from '@causeway/native/process'
import { orUndo } from '@causeway/service/failure'
import type { Logger } from '@causeway/service/log'
import type { Config } from '../config/config.ts'
import { takeOver, type TakenOver } from '../config/take-over.ts'
import { refuseNewerRecords } from '../supervisor/record/newer-records.ts'
import { openRecordReserve } from '../supervisor/record/record-reserve.ts'
import { openSupervisor, type Supervisor } from '../supervisor/supervisor.ts'
import { createExecute } from '../execution/execution.ts'
import { openHost, type Host } from '../host/host.ts'
import { openHostKeys, type HostKeys } from '../host/keys.ts'
import { removeStaleRuns } from '../state/run-folder.ts'
import { chooseBackend } from '../signer/choose-backend.ts'
import { StartError } from '../errors/start-error.ts'
import { failedIn, inState } from '../errors/state-fault.ts'
import type { StateFolders } from '../state/state-folders.ts'
import { deploymentKeys } from './deployment-keys.ts'
import { startControlServer } from '../control/server.ts'
import { controlSocketName } from '../control/socket-name.ts'

export interface DaemonOptions {
  config: Config
  state: StateFolders
  log: Logger
  /** File with the passphrase of the root secret. */
  passphraseFile?: string
  /** Version of this program, for `status`. */
  version: string
  /** Once aborted, jobs stop without a grace period, and a running grace period ends. */
  noGrace: AbortSignal
}

export interface Daemon {
  /** Path of the control socket, which is served already. */
  control: string
  /** Takes over settings that the operator changed. */
  readonly takeOver: (next: Config) => TakenOver
  /** Resolves once the deployments of an earlier daemon go on. */
  readonly recovered: Promise<void>
  /** Stops all jobs with a grace period, then closes everything else. */
  readonly close: () => Promise<void>
}

/** @throws StartError DAEMON_RUNNING when another daemon has the state folder, else as openHost */
export async function openDaemon(options: DaemonOptions): Promise<Daemon> {
  const release = lockState(options.state)
  return orUndo(() => openLocked(options, release), release).catch(failedIn(options.state.root))
}

/** The kernel releases the lock when its owner dies, so a killed daemon does not block the next. */
function lockState({ root }: StateFolders): () => void {
  const fd = inState(root, () => lockFile(join(root, 'daemon.lock')))
  if (fd === undefined) {
    throw new StartError(
      'DAEMON_RUNNING',
      `${root}: another daemon is already running with this state folder`,
    )
  }
  return () => closeFd(fd)
}

async function openLocked(options: DaemonOptions, release: () => void): Promise<Daemon> {
  const { config, state, log } = options
  refuseNewerRecords(state.deployments)
  const { backend, warning } = await chooseBackend(config.signer.backend)
  if (warning !== undefined) log.warn(warning)
  const keys = await openHostKeys({ ...options, backend, stateFolder: state.root })
  const open = async () => {
    const onWarning = (message: string) => log.warn(message)
    const host = await openHost({
      ...options,
      backend,
      onWarning,
      openKeys: (deployment) => keys.openFor(deployment),
      expectsJobs: true,
    })
    for (const message of host.warnings) log.warn(message)
    const start = async () => {
      await removeStaleRuns(state.deployments)
      return serve(host, keys, options, release)
    }
    return orUndo(start, () => host.close())
  }
  return orUndo(open, () => keys.close())
}

async function serve(
  host: Host,
  keys: HostKeys,
  { version, noGrace }: Pick<DaemonOptions, 'version' | 'noGrace'>,
  release: () => void,
): Promise<Daemon> {
  const { config, state, log } = host
  const grace = new AbortController()
  const endGrace = () => grace.abort()
  noGrace.addEventListener('abort', endGrace)
  if (noGrace.aborted) endGrace()
  const supervisor = await openSupervisor({
    deployments: state.deployments,
    logs: config.logs,
    reserve: await openRecordReserve(join(state.root, 'record-reserve')),
    keys: deploymentKeys(host, keys.root),
    execute: createExecute(host),
    noGrace: grace.signal,
    log,
  })
  const control = join(state.root, controlSocketName)
  const facts = { version, pid: process.pid, startedAt: Date.now() }
  const status = () => ({ ...facts, ...statusOf(host, supervisor) })
  const server = await orUndo(
    () => startControlServer({ path: control, supervisor, status, log }),
    () => supervisor.close(),
  )
  const close = async () => {
    server.refuse()
    // Ends longer grace periods of other stops: systemd, for one, would not wait for them.
    setTimeout(endGrace, config.sandbox.stopGraceMs).unref()
    try {
      await supervisor.close()
      await server.close()
      await host.close()
    } finally {
      keys.close()
      release()
    }
  }
  const change = (next: Config) => {
    const changed = takeOver(config, next)
    host.refresh()
    return changed
  }
  return { control, takeOver: change, recovered: supervisor.recovered, close }
}

function statusOf({ state, sandbox, backend, warnings }: Host, supervisor: Supervisor) {
  const states = supervisor.list().map(({ state: name }) => name)
  const count = (name: string) => states.filter((other) => other === name).length
  const recovery = supervisor.recovery()
  return {
    state: state.root,
    sandbox: sandbox.name,
    signer: backend.name,
    warnings,
    deployments: Object.fromEntries([...new Set(states)].map((name) => [name, count(name)])),
    ...(recovery && { recovery }),
  }
}
