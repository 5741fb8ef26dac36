/**
 * One deployment in the foreground: root, bridge, job, and nothing left behind.
 * @module
 */
import { once } from 'node:events'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { removeTree } from '@causeway/images'
import type { Manifest } from '@causeway/manifest'
import type { Logger } from 'pino'
import type { CallRecord } from './bridge/dispatch.ts'
import type { Config } from './config.ts'
import { openBridge, type OpenBridge } from './daemon.ts'
import type { Bundle } from './deployments/bundle.ts'
import { loadDeployment, type LoadedDeployment } from './deployments/load.ts'
import { checkKeysFile } from './deployments/identity.ts'
import { createRunFolder, removeStaleRuns } from './deployments/run-folder.ts'
import { prepareRoot, type RootEvent } from './job-root.ts'
import { withJobUser, type JobUser } from './job-user.ts'
import type { Job, JobExit } from './sandbox/job.ts'
import { openSandbox, type Sandbox } from './sandbox/sandbox.ts'
import { chooseBackend } from './signer/choose-backend.ts'
import type { SignerBackend } from './signer/secret-keys.ts'
import { StartError } from './start-error.ts'
import type { StateFolders } from './state.ts'

/** What happens in a run, in order; `warning` may come at any time. */
export type RunEvent =
  | RootEvent
  | { type: 'warning'; message: string }
  | { type: 'bridge-open'; bridge: OpenBridge }
  | { type: 'job-started'; command: readonly string[]; uid: number; sandbox: string }

export interface RunOptions {
  /** Deployment file. */
  file: string
  state: StateFolders
  config: Config
  log: Logger
  /** File with the passphrase of the root secret. */
  passphraseFile?: string
  /** Socket name; default a random one. */
  socket?: string
  /** Ends the run: SIGTERM to the job, then the whole tree. */
  signal: AbortSignal
  onEvent: (event: RunEvent) => void
  /** Sees every call of the job; without it a call costs less. */
  onCall?: (record: CallRecord) => void
  /** Takes the job's output as it comes; resolves when both streams have ended. */
  onOutput: (job: Pick<Job, 'stdout' | 'stderr'>) => Promise<unknown>
}

/** A deployment that has all a job needs, and where it runs. */
interface Run {
  loaded: LoadedDeployment
  bundle: Bundle
  manifest: Manifest
  sandbox: Sandbox
  backend: SignerBackend
  folder: string
  user: JobUser
}

/**
 * Runs a deployment to its end. Whatever happens, its folder, socket, keys and uid are given back.
 * @throws DocumentError, ImageError, StartError, or the signal's reason before the job runs
 */
export async function runDeployment(options: RunOptions): Promise<JobExit> {
  const { config, state } = options
  await removeStaleRuns(state.deployments)
  const folder = createRunFolder(state.deployments)
  const onWarning = (message: string) => options.onEvent({ type: 'warning', message })
  try {
    const loaded = await loadDeployment(options.file, join(folder, 'bundle.zip'))
    const { backend, warning } = await chooseBackend(config.signer.backend)
    checkKeysFile(loaded.deployment, backend)
    const sandbox = await openSandbox(config.sandbox.proot)
    for (const message of [...loaded.warnings, ...sandbox.warnings]) onWarning(message)
    if (warning !== undefined) onWarning(warning)
    const parts = { ...runnable(loaded), loaded, sandbox, backend, folder }
    const { uidBase } = config.sandbox
    return await withJobUser({ uidBase, folder, onWarning }, (user) =>
      runWithBridge({ ...parts, user }, options),
    )
  } finally {
    await removeTree(folder)
  }
}

function runnable({ deployment, bundle, manifest }: LoadedDeployment) {
  if (bundle && manifest) return { bundle, manifest }
  throw new StartError(
    'MANIFEST_MISSING',
    `${deployment.file}: expected a bundle with manifest.json beside it or in "bundle", found none`,
  )
}

async function runWithBridge(run: Run, options: RunOptions): Promise<JobExit> {
  const command = await prepareRoot({
    ...run,
    root: join(run.folder, 'root'),
    workFolder: options.config.sandbox.bundlePath,
    imageFolder: options.state.images,
    allowLocalImages: options.config.images.allowLocal,
    ...run.user,
    signal: options.signal,
    onEvent: options.onEvent,
  })
  const bridge = await openBridge(run.loaded, {
    config: options.config,
    backend: run.backend,
    stateFolder: options.state.root,
    ...(options.passphraseFile !== undefined && { passphraseFile: options.passphraseFile }),
    log: options.log,
    ...(options.socket !== undefined && { socket: options.socket }),
    ...(options.onCall && { observe: options.onCall }),
  })
  try {
    options.onEvent({ type: 'bridge-open', bridge })
    const job = await startJob(run, command, bridge, options)
    return await attend(job, run, command, options)
  } finally {
    bridge.close()
  }
}

function startJob(
  { loaded: { deployment }, sandbox, folder, user }: Run,
  command: readonly string[],
  bridge: OpenBridge,
  { config }: RunOptions,
): Promise<Job> {
  return sandbox.start({
    folder,
    root: join(folder, 'root'),
    ...(user.owner && { uid: user.uid }),
    workFolder: config.sandbox.bundlePath,
    command,
    environment: deployment.environment,
    bridgeSocket: bridge.socket,
    admit: (membership) => bridge.admit(membership),
    interfaces: deployment.interfaces,
  })
}

async function attend(
  job: Job,
  { sandbox, user }: Run,
  command: readonly string[],
  { signal, config, onEvent, onOutput }: RunOptions,
): Promise<JobExit> {
  const stop = () => job.stop(config.sandbox.stopGraceMs)
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const announce = async () => {
    if (!(await job.started)) return
    const by = `PRoot ${sandbox.proot.version}`
    onEvent({ type: 'job-started', command, uid: user.uid, sandbox: by })
  }
  try {
    const output = Promise.race([onOutput(job), outputAbandoned(job, signal)])
    const [exit] = await Promise.all([job.exited, output, announce()])
    return exit
  } finally {
    signal.removeEventListener('abort', stop)
  }
}

// After the end of a job that was told to end, for what is still in its pipes.
const outputGraceMs = 1_000

/** A reader that takes nothing must not keep an ended run from ending. */
async function outputAbandoned(job: Job, signal: AbortSignal): Promise<void> {
  await job.exited
  if (!signal.aborted) await once(signal, 'abort')
  await pause(outputGraceMs, undefined, { ref: false })
  job.stdout.destroy()
  job.stderr.destroy()
}
