/**
 * The image store: archives by SHA-256 and the trees unpacked from them. All processes that use its
 * folder share them.
 *
 * @module
 */
import {
  checkReference,
  fetchArchive,
  type FetchOptions,
  type ImageReference,
  type StoredImage,
} from './archives.ts'
import { isPublicAddress } from '@causeway/service/egress'
import type { DownloadLimits } from '../fetch/download.ts'
import { findImage, listImages, type ListedImage } from './inventory.ts'
import { layoutOf, prepareLayout, useLockPath } from './layout.ts'
import {
  openTree,
  type ImageTree,
  type OpenTreeOptions,
  type TreeOpener,
} from './trees/open-tree.ts'
import { listBuilt, type BuiltArchive } from '../recipe/built-archives.ts'
import { prune, removeImages, type Pruned, type PruneOptions } from './prune.ts'
import { whileLocked, withSafeRelease, type TryLock } from './store-lock.ts'
import { syncTree, type Tree } from './trees/trees.ts'
import { verifyImage, type VerifiedImage } from './verify.ts'

/** Options of an image store. */
export interface ImageStoreOptions {
  /** Created with mode 0700 when missing. */
  folder: string
  /**
   * Opens `file:`, http to loopback, and https to private addresses. Images that the store has, or
   * that were built in its `recipes`, need no permission: their URLs are not opened.
   */
  allowLocal: boolean
  /** Whether https may connect to an address; default: public addresses only. */
  allowsAddress?: (address: string) => boolean
  /** Path of `bridge-unpack`. */
  unpacker: string
  lock: TryLock
  /** Largest archive in bytes, default 4 GiB. */
  maxDownloadBytes?: number
  /** Longest download in ms, default 30 min. */
  timeoutMs?: number
  /** Longest silence of the server in ms, default 30 s. */
  stallTimeoutMs?: number
  /** The store's size limit in bytes; a new image evicts unused ones. Default: no limit. */
  maxCacheBytes?: number
  /** Receives failures of background work. */
  onWarning?: (message: string) => void
}

/** See {@link createImageStore}. */
export interface ImageStore {
  /**
   * Returns the archive with exactly this digest, downloading it if it is not in the store. Any
   * number of calls and processes may fetch the same image at once: one downloads, the others wait.
   * A prune may remove the archive once it is returned.
   *
   * @throws ImageError IMAGE_URL_REFUSED, IMAGE_DOWNLOAD_FAILED, IMAGE_DIGEST_MISMATCH,
   *   IMAGE_TOO_LARGE; TypeError for a malformed digest; the signal's reason when aborted
   */
  fetch(reference: ImageReference, options?: FetchOptions): Promise<StoredImage>
  /**
   * Returns the image's tree, fetched and unpacked now if the store has none. One tree per owner is
   * shared by all callers, and nobody removes it until it is released.
   *
   * @throws ImageError as fetch, and IMAGE_ARCHIVE_INVALID, IMAGE_BUILD_FAILED as unpackImage
   */
  openTree(reference: ImageReference, options?: OpenTreeOptions): Promise<ImageTree>
  /** All images, most recently used first. */
  list(): Promise<ListedImage[]>
  /** The archives that were built here, see buildRecipe; they are no part of the list. */
  listBuilt(): Promise<BuiltArchive[]>
  /** @throws ImageError IMAGE_NOT_FOUND naming what was found */
  inspect(prefix: string): Promise<ListedImage>
  /**
   * Looks for damage in one image, or in all.
   *
   * @throws ImageError IMAGE_NOT_FOUND, and as unpackImage
   */
  verify(prefix?: string, options?: FetchOptions): Promise<VerifiedImage[]>
  /** Removes unused images, least recently used first, until the store is small enough. */
  prune(options: PruneOptions): Promise<Pruned>
  /** @throws ImageError IMAGE_NOT_FOUND, IMAGE_IN_USE */
  remove(prefixes: readonly string[]): Promise<Pruned>
  /** Resolves when background work is done: writing to the disk, pruning. */
  settled(): Promise<void>
}

const defaults = {
  allowsAddress: isPublicAddress,
  maxDownloadBytes: 4 * 2 ** 30,
  timeoutMs: 30 * 60_000,
  stallTimeoutMs: 30_000,
}

/** Opens the store in `options.folder`; nothing is touched until the first call. */
export function createImageStore(options: ImageStoreOptions): ImageStore {
  const { folder, lock, unpacker, ...given } = options
  const tryLock = withSafeRelease(lock)
  const layout = layoutOf(folder)
  const limits: DownloadLimits = { ...defaults, ...given }
  const opener: TreeOpener = { layout, limits, tryLock, unpacker, onMade: settle }
  const warn = (what: string) => (error: unknown) => given.onWarning?.(`${what}: ${String(error)}`)
  const prepare = () => prepareLayout(folder, layout)
  const list = async () => prepare().then(() => listImages(layout, tryLock))

  const background = new Set<Promise<void>>()

  /** Starts background work for a new tree, which can be used at once. */
  function settle(tree: Tree): void {
    const work = Promise.all([
      syncTree(tree).catch(warn('an image could not be written to the disk')),
      shrink().catch(warn('no image was pruned')),
    ]).then(() => void background.delete(work))
    background.add(work)
  }

  async function shrink(): Promise<void> {
    const { maxCacheBytes } = given
    if (maxCacheBytes !== undefined) await prune(layout, tryLock, { maxBytes: maxCacheBytes })
  }

  return {
    list,
    listBuilt: () => listBuilt(layout.recipes),
    async fetch(reference, fetching = {}) {
      fetching.signal?.throwIfAborted()
      const checked = checkReference(reference)
      await prepare()
      const held = useLockPath(layout, checked.sha256)
      const work = () => fetchArchive(opener, checked, fetching)
      return whileLocked(tryLock, held, 'shared', fetching, work)
    },
    async openTree(reference, opening = {}) {
      opening.signal?.throwIfAborted()
      const checked = checkReference(reference)
      await prepare()
      return openTree(opener, checked, opening)
    },
    inspect: async (prefix) => findImage(await list(), prefix),
    async verify(prefix, verifying = {}) {
      const images = await list()
      const chosen = prefix === undefined ? images : [findImage(images, prefix)]
      const found: VerifiedImage[] = []
      for (const image of chosen) {
        found.push(await verifyImage({ layout, unpacker, tryLock }, image, verifying))
      }
      return found
    },
    prune: async (pruning) => prepare().then(() => prune(layout, tryLock, pruning)),
    remove: async (prefixes) => prepare().then(() => removeImages(layout, tryLock, prefixes)),
    settled: async () => void (await Promise.all(background)),
  }
}
