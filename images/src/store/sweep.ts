/**
 * Removes the leftovers of processes that died: staging folders, trees being removed, abandoned
 * downloads. A leftover whose lock is free belongs to a dead process.
 *
 * @module
 */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { removeTree } from '../root/remove-tree.ts'
import { fetchLockPath, treeVersion, unpackLockPath, useLockPath, type Layout } from './layout.ts'
import { removePart } from '../fetch/part.ts'
import { whenFree, type TryLock } from './store-lock.ts'
import { readTree, removeStoredTree } from './trees/trees.ts'

/** A part untouched for a week will not be continued. */
const stalePartMs = 7 * 24 * 60 * 60_000

/** Removes staging folders of a tree. The caller has its unpack lock, so their makers are dead. */
export async function sweepTree({ trees }: Layout, name: string): Promise<void> {
  for (const file of await readdir(trees)) {
    if (file.startsWith(`${name}.`) && file.endsWith('.staging'))
      await removeTree(join(trees, file))
  }
}

/** Removes everything in the store that no process will finish or can use. */
export async function sweep(layout: Layout, tryLock: TryLock): Promise<void> {
  for (const file of await readdir(layout.trees)) await sweepTreeFolder(layout, tryLock, file)
  for (const file of await readdir(layout.blobs)) await sweepPart(layout, tryLock, file)
}

async function sweepTreeFolder(layout: Layout, tryLock: TryLock, file: string): Promise<void> {
  const match = /^(([0-9a-f]{64})-(\d+)-\d+)(?:\.[0-9a-f]+\.(staging|removed))?$/.exec(file)
  if (match === null) return
  const [, name = '', sha256 = '', version, kind] = match
  if (kind === 'staging') {
    const remove = () => removeTree(join(layout.trees, file))
    return whenFree(tryLock, unpackLockPath(layout, name), remove)
  }
  const isGood = kind === undefined && Number(version) === treeVersion
  if (isGood && (await readTree(layout, name)) !== undefined) return
  // A job may still run in a tree that is moved aside, outdated or damaged.
  const remove = () => removeStoredTree(layout, file)
  await whenFree(tryLock, useLockPath(layout, sha256), remove)
}

async function sweepPart(layout: Layout, tryLock: TryLock, file: string): Promise<void> {
  const sha256 = /^([0-9a-f]{64})\..*part$/.exec(file)?.[1]
  if (sha256 === undefined || !(await isStale(join(layout.blobs, file)))) return
  const path = join(layout.blobs, file.slice(0, -'.part'.length))
  await whenFree(tryLock, fetchLockPath(layout, sha256), () => removePart(path))
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined) // its download finished meanwhile
  return found !== undefined && Date.now() - found.mtimeMs > stalePartMs
}
