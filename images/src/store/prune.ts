/** Removes unused images, least recently used first. @module */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageError } from '../image-error.ts'
import { findImage, listImages, type ListedImage } from './inventory.ts'
import { useLockPath, type Layout } from './layout.ts'
import { removePart } from '../fetch/part.ts'
import {
  listBuilt,
  removeBuilt,
  removeStaleWork,
  type BuiltArchive,
} from '../recipe/built-archives.ts'
import { whenFree, type TryLock } from './store-lock.ts'
import { sweep } from './sweep.ts'
import { removeStoredTree, treeNamesOf } from './trees/trees.ts'

/** Which images a prune keeps. */
export interface PruneOptions {
  /** The store's size limit, in bytes on the disk. */
  maxBytes: number
  /** Images used within this many ms are kept, default none. */
  minAgeMs?: number
  /**
   * Removes the archives that were built here, too, whatever the size. They are not part of it: no
   * URL brings them back. Default false.
   */
  built?: boolean
}

/** The result of a prune. */
export interface Pruned {
  removed: readonly ListedImage[]
  /** Archives built here that were removed. */
  built: readonly BuiltArchive[]
  freedBytes: number
  /** What is on the disk afterwards, with the archives built here, in bytes. */
  leftBytes: number
  /** Digests of images that were kept only because they are in use. */
  inUse: readonly string[]
}

/** Prunes a store to a size. */
export async function prune(
  layout: Layout,
  tryLock: TryLock,
  { maxBytes, minAgeMs = 0, built = false }: PruneOptions,
): Promise<Pruned> {
  await sweep(layout, tryLock)
  const images = await listImages(layout, tryLock)
  const removed: ListedImage[] = []
  const inUse: string[] = []
  let leftBytes = sizeOf(images)
  for (const image of images.toReversed()) {
    if (leftBytes <= maxBytes) break
    if (Date.now() - image.lastUsed < minAgeMs) continue
    if (await removeUnused(layout, tryLock, image.sha256)) {
      removed.push(image)
      leftBytes -= image.diskBytes
    } else inUse.push(image.sha256)
  }
  if (built) await removeStaleWork(layout.recipes)
  const gone = built ? await removeBuiltOf(layout, tryLock, minAgeMs) : []
  return {
    removed,
    built: gone,
    freedBytes: sizeOf(removed) + sizeOf(gone),
    leftBytes: leftBytes + (await builtBytes(layout)),
    inUse,
  }
}

/** Removes the archives that were built here, but none whose image is in use. */
async function removeBuiltOf(
  layout: Layout,
  tryLock: TryLock,
  minAgeMs: number,
): Promise<BuiltArchive[]> {
  const removed: BuiltArchive[] = []
  for (const archive of await listBuilt(layout.recipes)) {
    if (Date.now() - archive.made < minAgeMs) continue
    if (await removeUnusedBuilt(layout, tryLock, archive)) removed.push(archive)
  }
  return removed
}

/** @returns false when its image is in use */
async function removeUnusedBuilt(
  layout: Layout,
  tryLock: TryLock,
  archive: BuiltArchive,
): Promise<boolean> {
  const remove = () => removeBuilt(archive).then(() => true)
  // Nobody can use an archive without a receipt.
  if (archive.sha256 === undefined) return remove()
  return (await whenFree(tryLock, useLockPath(layout, archive.sha256), remove)) ?? false
}

async function builtBytes({ recipes }: Layout): Promise<number> {
  return sizeOf(await listBuilt(recipes))
}

/**
 * Removes the images whose digests begin with these prefixes.
 *
 * @throws ImageError IMAGE_NOT_FOUND before anything is removed, IMAGE_IN_USE
 */
export async function removeImages(
  layout: Layout,
  tryLock: TryLock,
  prefixes: readonly string[],
): Promise<Pruned> {
  const images = await listImages(layout, tryLock)
  const chosen = [...new Set(prefixes.map((prefix) => findImage(images, prefix)))]
  for (const { sha256 } of chosen) {
    if (await removeUnused(layout, tryLock, sha256)) continue
    throw new ImageError('IMAGE_IN_USE', `image ${sha256.slice(0, 16)}… is in use and stays`)
  }
  const freedBytes = sizeOf(chosen)
  const leftBytes = sizeOf(images) - freedBytes + (await builtBytes(layout))
  return { removed: chosen, built: [], freedBytes, leftBytes, inUse: [] }
}

/** @returns false when the image is in use */
async function removeUnused(layout: Layout, tryLock: TryLock, sha256: string): Promise<boolean> {
  const isRemoved = await whenFree(tryLock, useLockPath(layout, sha256), async () => {
    const path = join(layout.blobs, sha256)
    for (const name of await treeNamesOf(layout, sha256)) await removeStoredTree(layout, name)
    await removePart(path)
    await rm(`${path}.json`, { force: true })
    await rm(path, { force: true })
    return true
  })
  return isRemoved ?? false
}

function sizeOf(items: readonly { diskBytes: number }[]): number {
  return items.reduce((sum, { diskBytes }) => sum + diskBytes, 0)
}
