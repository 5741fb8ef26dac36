/**
 * What PRoot writes to the host's /tmp (its loader) and leaves there when it is killed; in
 * namespaces it has a /tmp of its own.
 * @module
 */
import { lstatSync, readdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'

const hostTmp = '/tmp'

/** Removes what PRoot left there under a job's own uid; nobody else can have it. */
export function removeProotFiles(uid: number): void {
  for (const name of readdirSync(hostTmp)) {
    const path = join(hostTmp, name)
    if (!/^proot(?:ed)?-/.test(name)) continue
    if (lstatSync(path, { throwIfNoEntry: false })?.uid !== uid) continue
    rmSync(path, { recursive: true, force: true })
  }
}
