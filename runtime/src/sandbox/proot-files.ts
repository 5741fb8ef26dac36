/**
 * The loader that PRoot writes to the host's /tmp, and leaves there when it is killed.
 * @module
 */
import { chmod, chown, lstat, mkdir, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'

const hostTmp = '/tmp'

/**
 * A folder of the run to show as /tmp instead; undefined when the run itself lies below /tmp,
 * which it would hide.
 */
export async function privateTmp(folder: string, uid?: number): Promise<string | undefined> {
  if (`${folder}/`.startsWith(`${hostTmp}/`)) return undefined
  const path = join(folder, 'tmp')
  await mkdir(path, { recursive: true })
  await chmod(path, 0o700)
  if (uid !== undefined) await chown(path, uid, uid)
  return path
}

/** Removes what PRoot left in the host's /tmp under a job's own uid; nobody else can have it. */
export async function removeProotFiles(uid: number): Promise<void> {
  for (const name of await readdir(hostTmp)) {
    const path = join(hostTmp, name)
    if (!/^proot(?:ed)?-/.test(name) || !(await isOwnedBy(path, uid))) continue
    await rm(path, { recursive: true, force: true })
  }
}

async function isOwnedBy(path: string, uid: number): Promise<boolean> {
  const found = await lstat(path).catch(() => undefined) // gone meanwhile
  return found?.uid === uid
}
