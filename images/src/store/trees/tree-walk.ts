/**
 * Every entry of a tree with what is compared of it, in an order that depends on nothing else.
 *
 * @module
 */
import { lstat, readdir, readlink } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { errorCode } from '../../image-error.ts'

/** One thing in a tree. */
export interface TreeEntry {
  /** Relative to the root, `''` for itself; bytes as latin1, because an image's names are bytes. */
  path: string
  /** Type, mode, owner, links, size, time and target; of folders type, mode and owner. */
  facts: string
  /** Absent where the path is too long for one call. */
  stat?: BigIntStats
}

const atOnce = 256

/** Folder by folder, the names of each in order of their bytes. */
export async function* walkTree(root: string): AsyncGenerator<TreeEntry> {
  const first = await describe(root, '')
  yield first
  const folders = first.stat?.isDirectory() === true ? [''] : []
  for (let folder = folders.shift(); folder !== undefined; folder = folders.shift()) {
    const names = await namesIn(root, folder)
    for (let start = 0; start < names.length; start += atOnce) {
      const paths = names.slice(start, start + atOnce).map((name) => `${folder}/${name}`)
      for (const entry of await Promise.all(paths.map((path) => describe(root, path)))) {
        yield entry
        if (entry.stat?.isDirectory() === true) folders.push(entry.path)
      }
    }
  }
}

/** The host path of an entry. */
export function hostPath(root: string, path: string): Buffer {
  return Buffer.concat([Buffer.from(root), Buffer.from(path, 'latin1')])
}

/** What an ordinary user may not read has no names for us, at every walk alike. */
async function namesIn(root: string, path: string): Promise<string[]> {
  try {
    const names = await readdir(hostPath(root, path), 'latin1')
    return names.toSorted((a, b) => (a < b ? -1 : 1))
  } catch (error) {
    if (isOutOfReach(error)) return []
    throw error
  }
}

async function describe(root: string, path: string): Promise<TreeEntry> {
  try {
    const stat = await lstat(hostPath(root, path), { bigint: true })
    return { path, stat, facts: await factsOf(root, path, stat) }
  } catch (error) {
    if (isOutOfReach(error)) return { path, facts: 'out of reach' }
    throw error
  }
}

async function factsOf(root: string, path: string, stat: BigIntStats): Promise<string> {
  const mode = stat.mode.toString(8)
  // An archive need not name a folder, which then has the time at which it was made.
  if (stat.isDirectory()) return [mode, stat.uid, stat.gid].join(' ')
  const target = stat.isSymbolicLink() ? await readlink(hostPath(root, path), 'latin1') : ''
  return [mode, stat.uid, stat.gid, stat.nlink, stat.size, stat.mtimeNs, target].join(' ')
}

function isOutOfReach(error: unknown): boolean {
  return errorCode(error) === 'EACCES' || errorCode(error) === 'ENAMETOOLONG'
}
