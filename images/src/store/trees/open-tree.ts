/**
 * A tree to run a job in: from the store when it is there, made when not, by one process for all.
 *
 * @module
 */
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import type { Owner } from '../../root/write-in-root.ts'
import {
  fetchArchive,
  touch,
  type ArchiveOptions,
  type CheckedReference,
  type StoredImage,
} from '../archives.ts'
import { unpackLockPath, useLockPath } from '../layout.ts'
import { checkTreeSize, makeTree, type MakeTreeOptions } from './make-tree.ts'
import { takeLock } from '../store-lock.ts'
import { sweepTree } from '../sweep.ts'
import { readTree, treeName, type Tree } from './trees.ts'
import { showUrl } from '../../fetch/url-policy.ts'

/** A tree that is held: nobody removes it before `release`, or before this process dies. */
export interface ImageTree {
  /** Host folder that is the root. It is shared: nothing may ever be written to it. */
  path: string
  /** Of the archive, lower-case hex. */
  sha256: string
  /** Size of the archive uncompressed. */
  bytes: number
  entries: number
  /** True when it was there already. */
  fromCache: boolean
  /** The archive; of a tree from the cache, where it was when the tree was made. */
  image: StoredImage
  release: () => void
}

/** Whose the files are, and how it is watched. */
export type OpenTreeOptions = MakeTreeOptions

/** What opening a tree needs of the store. */
export interface TreeOpener extends ArchiveOptions {
  unpacker: string
  /** Called with a tree that was just made. */
  onMade: (tree: Tree) => void
}

/** Opens a tree; see ImageStore. */
export async function openTree(
  opener: TreeOpener,
  reference: CheckedReference,
  options: OpenTreeOptions,
): Promise<ImageTree> {
  const { layout, tryLock } = opener
  const { sha256 } = reference
  const release = await takeLock(tryLock, useLockPath(layout, sha256), 'shared', options)
  try {
    const name = treeName(sha256, ownerUid(options.owner))
    const there = await readTree(layout, name)
    const { tree, fetched } =
      there === undefined ? await makeOnce(opener, reference, name, options) : { tree: there }
    checkTreeSize(tree.meta.bytes, options.maxBytes)
    await markUsed(tree, join(layout.blobs, sha256))
    const image = fetched ?? storedImage(join(layout.blobs, sha256), tree)
    return { ...describe(tree), fromCache: fetched === undefined, image, release }
  } catch (error) {
    release()
    throw error
  }
}

/** Makes the tree, or waits for who makes it. */
async function makeOnce(
  opener: TreeOpener,
  reference: CheckedReference,
  name: string,
  options: OpenTreeOptions,
): Promise<{ tree: Tree; fetched?: StoredImage }> {
  const { layout, tryLock } = opener
  // First the archive: whoever waits here sees how far the download is.
  const fetched = await fetchArchive(opener, reference, options)
  const onWait = () =>
    Promise.resolve(options.onProgress?.({ phase: 'unpack', detail: 'another process unpacks it' }))
  const release = await takeLock(tryLock, unpackLockPath(layout, name), 'exclusive', {
    signal: options.signal,
    onWait,
  })
  try {
    const there = await readTree(layout, name)
    if (there !== undefined) return { tree: there }
    await sweepTree(layout, name)
    await makeTree(opener, name, { ...fetched, url: showUrl(reference.url) }, options)
    const made = await readTree(layout, name)
    if (made === undefined) throw new Error(`image tree ${name} has vanished`)
    opener.onMade(made)
    return { tree: made, fetched }
  } finally {
    release()
  }
}

/** The uid that a tree's files have. */
export function ownerUid(owner: Owner | undefined): number {
  return owner?.uid ?? process.getuid?.() ?? 0
}

async function markUsed({ folder }: Tree, archive: string): Promise<void> {
  const now = new Date()
  await utimes(join(folder, 'meta.json'), now, now)
  await touch(archive).catch(() => {}) // a tree does not need its archive
}

function describe({ folder, meta }: Tree) {
  const { sha256, bytes, entries } = meta
  return { path: join(folder, 'root'), sha256, bytes, entries }
}

function storedImage(path: string, { meta }: Tree): StoredImage {
  return { path, sha256: meta.sha256, bytes: meta.archiveBytes, fromCache: true }
}
