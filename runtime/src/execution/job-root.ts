/**
 * Fills a job's root with all that the image does not have: resolvers, devices and the bundle.
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
  /** Folder of the execution; a file in it marks the root as filled. */
  folder: string
  /** Whether the job gets its own `/dev` when it starts. */
  hasDevices: boolean
  /** Guest folder of the bundle. */
  workFolder: string
  /** Owner of the files; absent when they stay ours. */
  owner?: Owner
  signal: AbortSignal
}

/**
 * Fills a root once per execution: changes by the job survive its restarts.
 * @returns the guest's command: the entrypoint with its interpreter
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
