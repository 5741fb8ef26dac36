/**
 * One execution of a deployment: opens keys, image, root and bridge, then runs the job as often as
 * its restart policy says. It leaves nothing behind but its folder.
 * @module
 */
import { posix } from 'node:path'
import { setImmediate as nextTurn } from 'node:timers/promises'
import { emptyFolder, type ImageTree } from '@causeway/images'
import type { Manifest } from '@causeway/manifest'
import { afterwards } from '@causeway/service/failure'
import { runAttempts } from './attempts.ts'
import { openBridge } from '../host/bridge.ts'
import { openBundleFiles, type BundleFiles } from '../deployment/bundle-files.ts'
import type { Bundle } from '../deployment/bundle.ts'
import type { Execute, ExecutionRequest } from './contract/request.ts'
import { inTime } from './contract/deadline.ts'
import { runnable } from '../deployment/load.ts'
import type { Host } from '../host/host.ts'
import type { JobNetwork } from '../job-network/contract.ts'
import { mountAhead, type MountAhead } from './mount-ahead.ts'
import { findEmulator } from '../sandbox/proot/emulator.ts'
import type { JobExit } from '../sandbox/exit.ts'
import { fittingDisk, limitsOf } from '../sandbox/limits.ts'
import type { Place } from '../sandbox/place.ts'
import { StartError } from '../errors/start-error.ts'

/** Creates the function that runs executions on this host. */
export function createExecute(host: Host): Execute {
  return inTime(async (request) => ({
    exit: await begin({ host, request, ...runnable(request.loaded) }),
  }))
}

/** Parts of an execution at its start. */
interface Begun {
  host: Host
  request: ExecutionRequest
  bundle: Bundle
  manifest: Manifest
}

/** Parts once the execution has a place and a network. */
interface Placed extends Begun {
  place: Place
  network: JobNetwork
}

/** Parts once image and bundle are available. */
interface Prepared extends Placed {
  tree: ImageTree
  files: BundleFiles
}

async function begin(begun: Begun): Promise<JobExit> {
  const place = await reserve(begun)
  try {
    const network = await openNetwork(begun, place)
    return await afterwards(withImage({ ...begun, place, network }), () => network.release())
  } finally {
    place.release()
  }
}

async function withImage(placed: Placed): Promise<JobExit> {
  // Read while the image is looked up.
  const files = openBundleFiles(placed.bundle.zipFile)
  files.catch(() => {}) // thrown at the await below
  const tree = await openTree(placed)
  try {
    return await withRoot({ ...placed, tree, files: await files })
  } finally {
    tree.release()
  }
}

async function withRoot(prepared: Prepared): Promise<JobExit> {
  const { place, tree, network, request } = prepared
  const emulator = await emulatorOf(prepared)
  const how = {
    signal: request.signal,
    ...(network.namespace !== undefined && { network: network.namespace }),
    ...(emulator !== undefined && { emulator }),
  }
  const roots = mountAhead(() => place.mount(tree.path, how))
  try {
    // Lets the launcher start to mount before the keys keep this thread busy.
    await nextTurn()
    return await withBridge(prepared, roots)
  } finally {
    await roots.close()
  }
}

async function withBridge(prepared: Prepared, roots: MountAhead): Promise<JobExit> {
  const { host, request, network } = prepared
  const keys = await host.openKeys(request.loaded.deployment)
  const bridge = openBridge(request.loaded, keys, {
    ...host,
    network,
    ...(request.socket !== undefined && { socket: request.socket }),
    ...(request.onCall && { observe: request.onCall }),
  })
  try {
    const { socket, identity } = bridge
    request.onEvent({ type: 'bridge-open', socket, deployment: identity.id })
    request.onNetwork?.(bridge.lookAtNetwork)
    return await runAttempts({ ...prepared, bridge, mount: roots.mount })
  } finally {
    await bridge.close()
  }
}

/** Reserves a place; empties the folder if its root belongs to ids that another job has now. */
async function reserve(begun: Begun): Promise<Place> {
  try {
    return reserveOnce(begun)
  } catch (error) {
    if (!(error instanceof StartError) || error.kind !== 'ROOT_LOST') throw error
    begun.request.onEvent({
      type: 'warning',
      message: `${error.message}: the execution starts with a new root`,
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

/** Opens the network that all executions of a deployment share. */
function openNetwork({ host, request: { loaded } }: Begun, place: Place): Promise<JobNetwork> {
  const { networkRequests, file, id } = loaded.deployment
  return host.networks.open({
    deployment: `${file} ${id ?? ''}`,
    uid: place.uid,
    count: place.uidCount,
    maxConnections: networkRequests,
  })
}

async function openTree({ host, request, manifest, place }: Placed): Promise<ImageTree> {
  const { treeOwner } = place
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
async function emulatorOf({ host, files, manifest, tree }: Prepared) {
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
