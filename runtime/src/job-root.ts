/**
 * A job's root: the verified image, unpacked, with resolvers, devices and the bundle in it.
 * @module
 */
import {
  createImageStore,
  unpackImage,
  writeResolvConf,
  type ImageProgress,
  type Owner,
  type StoredImage,
} from '@causeway/images'
import type { Manifest } from '@causeway/manifest'
import { readBundle } from './deployments/bundle-entries.ts'
import type { Bundle } from './deployments/bundle.ts'
import {
  entrypointCommand,
  placeBundle,
  placeDeviceLinks,
  placeHelperFolder,
} from './sandbox/guest-files.ts'

/** What happens on the way to a root. */
export type RootEvent =
  | { type: 'image-progress'; progress: ImageProgress }
  | { type: 'image-verified'; image: StoredImage; url: string }
  | { type: 'root-ready'; bytes: number; durationMs: number }

export interface RootOptions {
  manifest: Manifest
  bundle: Bundle
  /** Host path that becomes the root; must not exist. */
  root: string
  /** Guest folder of the bundle. */
  workFolder: string
  /** Folder of the image store. */
  imageFolder: string
  allowLocalImages: boolean
  /** Who the files are given to; absent when they stay ours. */
  owner?: Owner
  signal: AbortSignal
  onEvent: (event: RootEvent) => void
}

/**
 * Prepares a root.
 * @returns the guest's command: entrypoint with what runs it
 * @throws ImageError, StartError or the signal's reason
 */
export async function prepareRoot(options: RootOptions): Promise<string[]> {
  const { manifest, bundle, root, workFolder, owner } = options
  await unpack(options)
  await writeResolvConf(root, owner)
  await placeDeviceLinks(root, owner)
  await placeHelperFolder(root, owner)
  await placeBundle(root, workFolder, readBundle(bundle.zipFile), options)
  return entrypointCommand(root, workFolder, manifest.entrypoint)
}

async function unpack(options: RootOptions): Promise<void> {
  const { manifest, root, imageFolder, allowLocalImages, owner, signal, onEvent } = options
  const onProgress = (progress: ImageProgress) => onEvent({ type: 'image-progress', progress })
  const store = createImageStore({ folder: imageFolder, allowLocal: allowLocalImages })
  const image = await store.fetch(manifest.image, { signal, onProgress })
  onEvent({ type: 'image-verified', image, url: manifest.image.url })
  const started = performance.now()
  const { bytes } = await unpackImage(image.path, root, { ...owner, signal, onProgress })
  onEvent({ type: 'root-ready', bytes, durationMs: performance.now() - started })
}
