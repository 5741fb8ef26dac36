/** Opens a tree to run a job in. If the store has none, one process makes it for all. @module */
import { utimes } from 'node:fs/promises'
import { join } from 'node:path'
import { orUndo } from '@causeway/service/failure'
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
import { takeLock, whileLocked } from '../store-lock.ts'
import { sweepTree } from '../sweep.ts'
import { readTree, treeName, type Tree } from './trees.ts'
import { showUrl } from '../../fetch/url-policy.ts'

/** A tree in use: nobody removes it before `release`, or before this process dies. */
export interface ImageTree {
  /** Host folder that is the tree's root. It is shared: never write to it. */
  path: string
  /** SHA-256 of the archive, lower-case hex. */
  sha256: string
  /** Uncompressed size of the archive. */
  bytes: number
  entries: number
  /** True when the tree was in the store already. */
  fromCache: boolean
  /** The archive; for a cached tree, the archive that the tree was made from. */
  image: StoredImage
  release: () => void
}

/** Options of openTree. */
export type OpenTreeOptions = MakeTreeOptions

/** The parts of the store that open a tree. */
export interface TreeOpener extends ArchiveOptions {
  unpacker: string
  /** Called with a new tree. */
  onMade: (tree: Tree) => void
}

export async function openTree(
  opener: TreeOpener,
  reference: CheckedReference,
  options: OpenTreeOptions,
): Promise<ImageTree> {
  const { layout, tryLock } = opener
  const { sha256 } = reference
  const release = await takeLock(tryLock, useLockPath(layout, sha256), 'shared', options)
  const open = async () => {
    const name = treeName(sha256, ownerUid(options.owner))
    const there = await readTree(layout, name)
    const { tree, fetched } =
      there === undefined ? await makeOnce(opener, reference, name, options) : { tree: there }
    checkTreeSize(tree.meta.bytes, options.maxBytes)
    await markUsed(tree, join(layout.blobs, sha256))
    const image = fetched ?? storedImage(join(layout.blobs, sha256), tree)
    return { ...describe(tree), fromCache: fetched === undefined, image, release }
  }
  return orUndo(open, release)
}

/** Makes the tree, or waits for the process that makes it. */
async function makeOnce(
  opener: TreeOpener,
  reference: CheckedReference,
  name: string,
  options: OpenTreeOptions,
): Promise<{ tree: Tree; fetched?: StoredImage }> {
  const { layout, tryLock } = opener
  // Fetch the archive first: then a waiting caller sees the progress of the download.
  const fetched = await fetchArchive(opener, reference, options)
  const onWait = () =>
    Promise.resolve(options.onProgress?.({ phase: 'unpack', detail: 'another process unpacks it' }))
  const waiting = { signal: options.signal, onWait }
  return whileLocked(tryLock, unpackLockPath(layout, name), 'exclusive', waiting, async () => {
    const there = await readTree(layout, name)
    if (there !== undefined) return { tree: there }
    await sweepTree(layout, name)
    await makeTree(opener, name, { ...fetched, url: showUrl(reference.url) }, options)
    const made = await readTree(layout, name)
    if (made === undefined) throw new Error(`image tree ${name} has vanished`)
    opener.onMade(made)
    return { tree: made, fetched }
  })
}

/** The uid that owns a tree's files. */
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
