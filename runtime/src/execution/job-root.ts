/**
 * What a job's root has beside its image: resolvers, devices and the bundle.
 * @module
 */
import { existsSync, writeFileSync } from 'node:fs'
import { writeResolvConf, type Owner } from '@causeway/images'
import type { Manifest } from '@causeway/manifest'
import type { BundleFiles } from '../deployment/bundle-files.ts'
import {
  entrypointCommand,
  placeBundle,
  placeDeviceLinks,
  placeHelperFolder,
} from '../sandbox/root/guest-files.ts'
import { filledFile } from '../sandbox/root/root-folders.ts'

export interface RootOptions {
  manifest: Manifest
  files: BundleFiles
  /** Host path of the mounted root. */
  root: string
  /** Folder of the execution, where it is noted that its root is filled. */
  folder: string
  /** Whether it is given a `/dev` of its own when it starts. */
  hasDevices: boolean
  /** Guest folder of the bundle. */
  workFolder: string
  /** Who the files are given to; absent when they stay ours. */
  owner?: Owner
  signal: AbortSignal
}

/**
 * Fills a root, once in an execution: what a job changes stays over its restarts.
 * @returns the guest's command: entrypoint with what runs it
 * @throws ImageError, StartError or the signal's reason
 */
export async function fillRoot(options: RootOptions): Promise<string[]> {
  const { manifest, files, root, folder, workFolder, hasDevices, owner } = options
  if (!existsSync(filledFile(folder))) {
    await writeResolvConf(root, owner)
    if (!hasDevices) placeDeviceLinks(root, owner)
    placeHelperFolder(root, owner)
    await placeBundle(root, workFolder, files.all(), options)
    writeFileSync(filledFile(folder), '')
  }
  return entrypointCommand(root, workFolder, manifest.entrypoint)
}
