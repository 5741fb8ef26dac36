/** Our own programs in a job's root. @module */
import { chmodSync, copyFileSync, mkdirSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { nativePaths } from '@causeway/native'
import { helperFolder } from './guest-files.ts'
import type { Bind } from '../launcher/launcher.ts'
import type { Layers } from '../layers.ts'

/** Guest paths of our programs. */
export const guestInit = `${helperFolder}/init`
export const guestShim = `${helperFolder}/libcauseway-ifaddrs.so`

/** The programs that every job needs; the first one is its init. */
export const jobHelpers: readonly Bind[] = [
  [nativePaths.guestInit, guestInit],
  [nativePaths.ifaddrsShim, guestShim],
]

/**
 * Our programs at host paths that the job's uid can reach. A launcher in namespaces binds them from
 * where they are; else they are copied, because our own folder may be closed to the job.
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
  // Sets the exact mode, whatever the umask of the daemon or of the build.
  chmodSync(copies, 0o755)
  return helpers.map(([source, guest]): Bind => {
    const copy = join(copies, guest.slice(guest.lastIndexOf('/') + 1))
    copyFileSync(source, copy)
    chmodSync(copy, 0o755)
    return [copy, guest]
  })
}
