/**
 * Removes the loader that a killed PRoot leaves in the host's /tmp. In namespaces PRoot has a /tmp
 * of its own.
 * @module
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const hostTmp = '/tmp'

/** Removes PRoot's files that belong to the job's own uid, which nobody else has. */
export function removeProotFiles(uid: number): void {
  for (const name of readdirSync(hostTmp)) {
    const path = join(hostTmp, name)
    if (!/^proot(?:ed)?-/.test(name)) continue
    if (lstatSync(path, { throwIfNoEntry: false })?.uid !== uid) continue
    rmSync(path, { recursive: true, force: true })
  }
}
