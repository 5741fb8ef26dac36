/**
 * One execution of a deployment: keys, image, root, bridge, then the job, as often as its restart
 * policy says. Nothing of it is left behind but its folder.
 * @module
 */
import { once } from 'node:events'
import { posix } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { emptyFolder, type ImageTree } from '@causeway/images'
import type { Manifest } from '@causeway/manifest'
import { openBridge, type OpenBridge } from './daemon.ts'
import { openBundleFiles, type BundleFiles } from './deployments/bundle-files.ts'
import type { Bundle } from './deployments/bundle.ts'
import type { Execute, ExecutionRequest } from './deployments/execution-request.ts'
import type { LoadedDeployment } from './deployments/load.ts'
import { restartsAfter } from './deployments/restart-policy.ts'
import { callAt } from './call-at.ts'
import type { Host } from './host.ts'
import { fillRoot } from './job-root.ts'
import { findEmulator } from './sandbox/emulator.ts'
import { guestShim } from './sandbox/helpers.ts'
import type { Place } from './sandbox/place.ts'
import { jobEnvironment } from './sandbox/environment.ts'
import { statusOf, type JobExit } from './sandbox/exit.ts'
import type { Job } from './sandbox/job.ts'
import { fittingDisk, limitsOf } from './sandbox/limits.ts'
import type { MountedJob } from './sandbox/mounted-job.ts'
import { StartError } from './start-error.ts'

/** Executions on this host. */
export function createExecute(host: Host): Execute {
  return async (request) => ({ exit: await begin({ host, request, ...runnable(request.loaded) }) })
}

/** What an execution has from its beginning. */
interface Begun {
  host: Host
  request: ExecutionRequest
  bundle: Bundle
  manifest: Manifest
}

/** What each attempt of it uses. */
interface Prepared extends Begun {
  place: Place
  tree: ImageTree
  files: BundleFiles
  bridge: OpenBridge
  emulator?: string
}

function runnable({ deployment, bundle, manifest }: LoadedDeployment) {
  if (bundle && manifest) return { bundle, manifest }
  throw new StartError(
    'MANIFEST_MISSING',
    `${deployment.file}: expected a bundle with manifest.json beside it or in "bundle", found none`,
  )
}

async function begin(begun: Begun): Promise<JobExit> {
  const place = await reserve(begun)
  try {
    // While the image is looked up.
    const files = openBundleFiles(begun.bundle.zipFile)
    files.catch(() => {}) // told where it is waited for
    const tree = await openTree(begun, place)
    try {
      return await withBridge({ ...begun, place, tree, files: await files })
    } finally {
      tree.release()
    }
  } finally {
    await place.release()
  }
}

async function withBridge(begun: Omit<Prepared, 'bridge' | 'emulator'>): Promise<JobExit> {
  const { host, request } = begun
  const emulator = await emulatorOf(begun)
  const keys = await host.openKeys(request.loaded.deployment)
  const bridge = openBridge(request.loaded, keys, {
    ...host,
    ...(request.socket !== undefined && { socket: request.socket }),
    ...(request.onCall && { observe: request.onCall }),
  })
  try {
    const { socket, identity } = bridge
    request.onEvent({ type: 'bridge-open', socket, deployment: identity.id })
    return await attempts({ ...begun, bridge, ...(emulator !== undefined && { emulator }) })
  } finally {
    bridge.close()
  }
}

/** A root whose ids are another job's now can't be used again: then it is begun anew. */
async function reserve(begun: Begun): Promise<Place> {
  try {
    return reserveOnce(begun)
  } catch (error) {
    if (!(error instanceof StartError) || error.kind !== 'ROOT_LOST') throw error
    begun.request.onEvent({
      type: 'warning',
      message: `${error.message}: it starts with a new root`,
    })
    await emptyFolder(begun.request.folder)
    return reserveOnce(begun)
  }
}

function reserveOnce({ host: { sandbox, config }, request }: Begun): Place {
  const { loaded, folder } = request
  const limits = limitsOf(loaded.deployment, config.sandbox)
  return sandbox.reserve({
    folder,
    limits: fittingDisk(limits, loaded.deployment, folder),
    workFolder: config.sandbox.bundlePath,
  })
}

async function openTree(
  { host, request, manifest }: Begun,
  { treeOwner }: Place,
): Promise<ImageTree> {
  const { signal, onEvent, allowLocalImages } = request
  const started = performance.now()
  const images = allowLocalImages ? host.localImages : host.images
  const tree = await images.openTree(manifest.image, {
    ...(treeOwner && { owner: treeOwner }),
    signal,
    onProgress: (progress) => onEvent({ type: 'image-progress', progress }),
  })
  const { image, bytes, fromCache } = tree
  onEvent({
    type: 'image-verified',
    sha256: image.sha256,
    bytes: image.bytes,
    fromCache: image.fromCache,
    url: manifest.image.url,
  })
  onEvent({ type: 'root-ready', bytes, durationMs: performance.now() - started, fromCache })
  return tree
}

/** @throws StartError ARCHITECTURE_FOREIGN */
async function emulatorOf({ host, files, manifest, tree }: Omit<Prepared, 'bridge'>) {
  const { config, sandbox } = host
  const { entrypoint } = manifest
  const bundled = entrypoint.startsWith('/') ? undefined : await files.startOf(entrypoint)
  const question = {
    tree: tree.path,
    entrypoint: posix.resolve(config.sandbox.bundlePath, entrypoint),
    ...(bundled && { bundled }),
  }
  return findEmulator(question, config.sandbox, sandbox.layers.backend)
}

const firstDelayMs = 1_000

/** The job, again and again as far as its policy goes; the same root for all of them. */
async function attempts(prepared: Prepared): Promise<JobExit> {
  const { request, manifest } = prepared
  const { onEvent, signal, firstAttempt } = request
  for (let count = 0; ; count++) {
    const attempt = firstAttempt + count
    const restarts = request.restarts + count
    const exit = await runOnce(prepared, attempt)
    onEvent({ type: 'attempt-ended', attempt, exit })
    if (signal.aborted || !restartsAfter(manifest.restartPolicy, exit, restarts)) return exit
    const delayMs = firstDelayMs * 2 ** restarts
    if ((request.deadline ?? Infinity) <= Date.now() + delayMs) return exit
    onEvent({ type: 'restarting', attempt: attempt + 1, delayMs })
    await pause(delayMs, undefined, { signal }).catch(() => {}) // aborted: told below
    if (signal.aborted) return exit
  }
}

async function runOnce(prepared: Prepared, attempt: number): Promise<JobExit> {
  const { host, request, place, tree, manifest, files, emulator } = prepared
  request.signal.throwIfAborted()
  const mounted = await place.mount(tree.path, emulator)
  try {
    const command = await fillRoot({
      manifest,
      files,
      root: mounted.root,
      folder: request.folder,
      hasDevices: host.sandbox.layers.namespaces,
      workFolder: host.config.sandbox.bundlePath,
      ...(place.owner && { owner: place.owner }),
      signal: request.signal,
    })
    request.signal.throwIfAborted()
    const job = start(prepared, mounted, command)
    return await attend(job, prepared, { attempt, command })
  } catch (error) {
    await mounted.cancel()
    throw error
  }
}

function start(
  { bridge, request: { loaded } }: Prepared,
  mounted: MountedJob,
  command: readonly string[],
): Job {
  const { environment, interfaces } = loaded.deployment
  const preload = interfaces === 'loopback' ? guestShim : undefined
  return mounted.start({
    command,
    environment: jobEnvironment(environment, { BRIDGE_SOCKET: bridge.socket }, preload),
    admit: (membership) => bridge.admit(membership),
  })
}

/** What decides over a job from outside while it runs. */
async function attend(
  job: Job,
  { host, request, place }: Prepared,
  { attempt, command }: { attempt: number; command: readonly string[] },
): Promise<JobExit> {
  const { signal, deadline, graceMs, onEvent, onOutput } = request
  const stop = () => job.stop(graceMs() ?? host.config.sandbox.stopGraceMs)
  let isLate = false
  const timer = callAt(deadline, () => {
    isLate = true
    stop()
  })
  signal.addEventListener('abort', stop)
  if (signal.aborted) stop()
  const letGo = () => {
    timer.cancel()
    signal.removeEventListener('abort', stop)
  }
  const announce = async () => {
    if (!(await job.started)) return
    const { name } = host.sandbox
    onEvent({ type: 'job-started', attempt, uid: place.uid, sandbox: name, command })
  }
  try {
    // From its end on nothing is decided over it, however long its output is still read.
    const ended = job.exited.then((exit) => (isLate ? outOfTime(exit) : exit)).finally(letGo)
    const output = Promise.race([onOutput(job, attempt), outputAbandoned(job, signal)])
    const [exit] = await Promise.all([ended, output, announce()])
    return exit
  } finally {
    letGo()
  }
}

function outOfTime(exit: JobExit): JobExit {
  const status = statusOf(exit)
  return { reason: 'timeout', detail: 'its time was over', ...(status && { status }) }
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
