/**
 * Lists every entry of a tree with the facts to compare, in an order that depends only on names.
 *
 * @module
 */
import { lstat, readdir, readlink } from 'node:fs/promises'
import type { BigIntStats } from 'node:fs'
import { noneOn } from '@causeway/service/failure'

/** One entry of a tree. */
export interface TreeEntry {
  /** Relative to the root, `''` for the root itself; latin1, because an image's names are bytes. */
  path: string
  /** Type, mode, owner, links, size, time and target; for folders only type, mode and owner. */
  facts: string
  /** Absent when the path is too long for one call. */
  stat?: BigIntStats
}

const atOnce = 256

/** Lists folder by folder, the names of each sorted by their bytes. */
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

/** An ordinary user gets no names from a folder it may not read; every walk treats it alike. */
async function namesIn(root: string, path: string): Promise<string[]> {
  const names = (await readdir(hostPath(root, path), 'latin1').catch(noneOutOfReach)) ?? []
  return names.toSorted((a, b) => (a < b ? -1 : 1))
}

async function describe(root: string, path: string): Promise<TreeEntry> {
  const look = async () => {
    const stat = await lstat(hostPath(root, path), { bigint: true })
    return { path, stat, facts: await factsOf(root, path, stat) }
  }
  return (await look().catch(noneOutOfReach)) ?? { path, facts: 'out of reach' }
}

async function factsOf(root: string, path: string, stat: BigIntStats): Promise<string> {
  const mode = stat.mode.toString(8)
  // Times of folders vary: an archive need not name a folder, which then gets the current time.
  if (stat.isDirectory()) return [mode, stat.uid, stat.gid].join(' ')
  const target = stat.isSymbolicLink() ? await readlink(hostPath(root, path), 'latin1') : ''
  return [mode, stat.uid, stat.gid, stat.nlink, stat.size, stat.mtimeNs, target].join(' ')
}

const noneOutOfReach = noneOn('EACCES', 'ENAMETOOLONG')
