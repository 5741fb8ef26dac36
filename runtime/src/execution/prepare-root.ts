/**
 * Mounts and fills the root for one attempt. A root of an earlier attempt may be damaged: on a full
 * disk, what its file system wrote last is lost when the daemon is killed. A new one replaces it.
 * @module
 */
import { orUndo } from '@causeway/service/failure'
import type { Manifest } from '@causeway/manifest'
import type { BundleFiles } from '../deployment/bundle-files.ts'
import type { Host } from '../host/host.ts'
import type { ExecutionRequest } from './contract/request.ts'
import { fillRoot } from './job-root.ts'
import type { MountedJob } from '../sandbox/mounted-job.ts'
import type { Place } from '../sandbox/place.ts'
import { isRootDamage } from '../sandbox/root/root-damage.ts'

export interface PreparedRoot {
  mounted: MountedJob
  /** The guest's command: the entrypoint with its interpreter. */
  command: string[]
}

export interface RootParts {
  host: Pick<Host, 'config' | 'sandbox'>
  request: Pick<ExecutionRequest, 'folder' | 'signal' | 'onEvent'>
  manifest: Manifest
  place: Pick<Place, 'owner' | 'discardRoot'>
  files: BundleFiles
  /** Mounts the root; the attempts of an execution share its files. */
  mount: () => Promise<MountedJob>
}

/** @throws ImageError, StartError or the signal's reason; nothing stays mounted then */
export async function prepareRoot(parts: RootParts): Promise<PreparedRoot> {
  const { request, place } = parts
  try {
    return await mountAndFill(parts)
  } catch (error) {
    if (request.signal.aborted || !isRootDamage(error)) throw error
    request.onEvent({
      type: 'warning',
      message: `the root cannot be used again (${(error as Error).message}): the job gets a new one, and what it wrote is lost`,
    })
    await place.discardRoot()
    return mountAndFill(parts)
  }
}

async function mountAndFill(parts: RootParts): Promise<PreparedRoot> {
  const { host, request, place, mount, manifest, files } = parts
  const mounted = await mount()
  const fill = () =>
    fillRoot({
      manifest,
      files,
      root: mounted.root,
      folder: request.folder,
      hasDevices: host.sandbox.layers.namespaces,
      workFolder: host.config.sandbox.bundlePath,
      ...(place.owner && { owner: place.owner }),
      signal: request.signal,
    })
  return { mounted, command: await orUndo(fill, () => mounted.cancel()) }
}
