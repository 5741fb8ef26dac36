/**
 * Our own files in a job's root.
 * @module
 */
import { chmodSync, copyFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nativePaths } from '@causeway/native'
import { helperFolder } from './guest-files.ts'
import type { Bind } from '../launcher/launcher.ts'
import type { Layers } from '../layers.ts'

/** Guest paths. */
export const guestInit = `${helperFolder}/init`
export const guestShim = `${helperFolder}/libcauseway-ifaddrs.so`

/** What a job needs; the first is its init. */
export const jobHelpers: readonly Bind[] = [
  [nativePaths.guestInit, guestInit],
  [nativePaths.ifaddrsShim, guestShim],
]

/**
 * What the guest executes, where its uid can reach it. A launcher in namespaces binds it from where
 * it is; else it is copied, because our own folder may be closed.
 */
export function reachable(
  helpers: readonly Bind[],
  folder: string,
  layers: Layers,
): readonly Bind[] {
  const areOpen = helpers.every(([path]) => (statSync(path).mode & 0o005) === 0o005)
  if (layers.namespaces && areOpen) return helpers
  const copies = join(folder, 'helpers')
  mkdirSync(copies, { recursive: true })
  // Exactly, whatever the umask of the daemon or of the build.
  chmodSync(copies, 0o755)
  return helpers.map(([source, guest]): Bind => {
    const copy = join(copies, guest.slice(guest.lastIndexOf('/') + 1))
    copyFileSync(source, copy)
    chmodSync(copy, 0o755)
    return [copy, guest]
  })
}
