/** The archives that were built here: how much room they take, and how they are removed. @module */
import { readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { noneOn } from '@causeway/service/failure'
import { readJsonRecord } from '../json-record.ts'
import { removeTree } from '../root/remove-tree.ts'
import { receiptOf, type Receipt } from './receipt.ts'

/** An archive that a recipe was built into. */
export interface BuiltArchive {
  path: string
  /** Its digest, as its receipt says; absent when that cannot be read. */
  sha256?: string
  /** Size of archive and receipt. */
  diskBytes: number
  /** Unix ms. */
  made: number
}

const blockBytes = 512
const workEnding = '.staging'
/** No build takes a day: an older work folder was left by a build that was killed. */
const staleMs = 24 * 60 * 60_000

/** @param folder see buildRecipe; it may be missing */
export async function listBuilt(folder: string): Promise<BuiltArchive[]> {
  const names = (await namesIn(folder)).filter((name) => !name.endsWith(workEnding))
  // A receipt without its archive takes room, too.
  const archives = new Set(names.map((name) => name.replace(/\.json$/, '')))
  return Promise.all([...archives].map((name) => readArchive(join(folder, name))))
}

/** Removes the receipt first: an archive without one is not used. */
export async function removeBuilt({ path }: BuiltArchive): Promise<void> {
  await rm(receiptOf(path), { force: true })
  await rm(path, { force: true })
}

/** Removes what killed builds left. */
export async function removeStaleWork(folder: string): Promise<void> {
  for (const name of (await namesIn(folder)).filter((file) => file.endsWith(workEnding))) {
    const found = await stat(join(folder, name)).catch(() => undefined) // removed meanwhile
    if (found === undefined || Date.now() - found.mtimeMs < staleMs) continue
    await removeTree(join(folder, name))
  }
}

/** Images that another user built are not this one's. */
async function namesIn(folder: string): Promise<string[]> {
  return (await readdir(folder).catch(noneOn('ENOENT', 'EACCES'))) ?? []
}

async function readArchive(path: string): Promise<BuiltArchive> {
  const statOf = (file: string) => stat(file).catch(() => undefined) // missing
  const files = await Promise.all([path, receiptOf(path)].map(statOf))
  const there = files.filter((file) => file !== undefined)
  const { sha256 = '' } = (await readJsonRecord<Receipt>(receiptOf(path))) ?? {}
  return {
    path,
    ...(/^[0-9a-f]{64}$/.test(sha256) && { sha256 }),
    diskBytes: there.reduce((sum, { blocks }) => sum + blocks * blockBytes, 0),
    made: Math.floor(Math.max(0, ...there.map(({ mtimeMs }) => mtimeMs))),
  }
}
