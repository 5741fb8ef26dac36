/**
 * Runs one deployment in the foreground: a host of its own, one execution, and nothing left behind.
 * @module
 */
import { join } from 'node:path'
import { removeTree } from '@causeway/images'
import { afterwards } from '@causeway/service/failure'
import type { Logger } from '@causeway/service/log'
import type { Config } from '../config/config.ts'
import type { ExecutionEvent, ExecutionRequest } from './contract/request.ts'
import { checkKeysFile } from '../deployment/identity.ts'
import { loadDeployment, type LoadedDeployment } from '../deployment/load.ts'
import { failedIn } from '../errors/state-fault.ts'
import { createExecute } from './execution.ts'
import { openHost, type Host } from '../host/host.ts'
import { openKeys } from '../host/keys.ts'
import { createRunFolder, removeStaleRuns } from '../state/run-folder.ts'
import type { JobExit } from '../sandbox/exit.ts'
import { chooseBackend } from '../signer/choose-backend.ts'
import { isRoot, type StateFolders } from '../state/state-folders.ts'

export interface RunOptions extends Pick<
  ExecutionRequest,
  'socket' | 'signal' | 'noGrace' | 'onOutput' | 'onCall'
> {
  /** Deployment file. */
  file: string
  state: StateFolders
  config: Config
  log: Logger
  /** File with the passphrase of the root secret. */
  passphraseFile?: string
  onEvent: (event: ExecutionEvent) => void
}

/**
 * Runs a deployment now until it ends; of its schedule only the duration applies.
 * @throws DocumentError, ImageError, StartError, or the signal's reason before the job runs
 */
export async function runDeployment(options: RunOptions): Promise<JobExit> {
  const { config, state } = options
  await removeStaleRuns(state.deployments).catch(failedIn(state.root))
  const folder = createRunFolder(state.deployments)
  const onWarning = (message: string) => options.onEvent({ type: 'warning', message })
  try {
    const loaded = await loadDeployment(options.file, join(folder, 'bundle.zip'))
    const { backend, warning } = await chooseBackend(config.signer.backend)
    checkKeysFile(loaded.deployment, backend)
    for (const message of loaded.warnings) onWarning(message)
    if (warning !== undefined) onWarning(warning)
    const keysOptions = { ...options, backend, stateFolder: state.root }
    const host = await openHost({
      ...options,
      backend,
      onWarning,
      openKeys: (deployment) => openKeys(deployment, keysOptions),
    })
    for (const message of [...host.warnings, ...sameUserWarning(), ...scheduleWarning(loaded)])
      onWarning(message)
    return await afterwards(executeOnce(host, options, { loaded, folder }), () => host.close())
  } finally {
    await removeTree(folder)
  }
}

async function executeOnce(
  host: Host,
  options: RunOptions,
  what: Pick<ExecutionRequest, 'loaded' | 'folder'>,
): Promise<JobExit> {
  const { duration } = what.loaded.deployment.schedule
  const { exit } = await createExecute(host)({
    ...options,
    ...what,
    firstAttempt: 1,
    restarts: 0,
    allowLocalImages: options.config.images.allowLocal,
    graceMs: () => undefined,
    ...(duration !== 0 && { deadline: Date.now() + duration }),
  })
  return exit
}

function sameUserWarning(): string[] {
  return isRoot()
    ? []
    : [
        'not root: the job runs under your own uid, so only its sandbox keeps it from your files and processes',
      ]
}

function scheduleWarning({ deployment: { file, schedule } }: LoadedDeployment): string[] {
  const { startTime, endTime, interval, maxStartDelay } = schedule
  const isSet = [startTime, endTime, interval, maxStartDelay].some((time) => time !== 0)
  return isSet
    ? [`${file}: schedule: runs once, now, for at most its duration; the daemon follows the rest`]
    : []
}
