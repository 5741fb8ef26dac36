/** Removes unused images, least recently used first. @module */
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageError } from '../image-error.ts'
import { findImage, listImages, type ListedImage } from './inventory.ts'
import { useLockPath, type Layout } from './layout.ts'
import { removePart } from '../fetch/part.ts'
import { whenFree, type TryLock } from './store-lock.ts'
import { sweep } from './sweep.ts'
import { removeStoredTree, treeNamesOf } from './trees/trees.ts'

/** Which images a prune keeps. */
export interface PruneOptions {
  /** The store's size limit, in bytes on the disk. */
  maxBytes: number
  /** Images used within this many ms are kept, default none. */
  minAgeMs?: number
}

/** The result of a prune. */
export interface Pruned {
  removed: readonly ListedImage[]
  freedBytes: number
  /** The store's size afterwards, in bytes on the disk. */
  leftBytes: number
  /** Digests of images that were kept only because they are in use. */
  inUse: readonly string[]
}

/** Prunes a store to a size. */
export async function prune(
  layout: Layout,
  tryLock: TryLock,
  { maxBytes, minAgeMs = 0 }: PruneOptions,
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
  return { removed, freedBytes: sizeOf(removed), leftBytes, inUse }
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
  return { removed: chosen, freedBytes, leftBytes: sizeOf(images) - freedBytes, inUse: [] }
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

function sizeOf(images: readonly ListedImage[]): number {
  return images.reduce((sum, { diskBytes }) => sum + diskBytes, 0)
}
