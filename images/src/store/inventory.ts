/** Lists a store's images: each is an archive with the trees unpacked from it. @module */
import { readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { ImageError } from '../image-error.ts'
import { readRecord } from './archives.ts'
import { treeVersion, useLockPath, type Layout } from './layout.ts'
import type { TryLock } from './store-lock.ts'
import { parseTreeName, readTree, treeName } from './trees/trees.ts'

/** An unpacked image. */
export interface ListedTree {
  /** Host folder that is the tree's root. */
  path: string
  /** Host uid that owns the files. */
  uid: number
  /** Uncompressed size of the archive. */
  bytes: number
  entries: number
  diskBytes: number
  /** Unix ms. */
  made: number
  lastUsed: number
}

/** An image in the store. */
export interface ListedImage {
  /** SHA-256 of the archive, lower-case hex. */
  sha256: string
  /** URL of its origin, without secrets; absent when that is not known. */
  url?: string
  /** The archive; absent when the store has only trees of it, or an unfinished download. */
  archive?: { path: string; bytes: number; diskBytes: number }
  /** An unfinished download, interrupted or running. */
  part?: { bytes: number; diskBytes: number }
  trees: readonly ListedTree[]
  /** Size of archive, part and trees together. */
  diskBytes: number
  /** Unix ms. */
  lastUsed: number
  /** True while a job runs in one of its trees, or a process fetches or unpacks it. */
  inUse: boolean
}

const blockBytes = 512

/** All images of a store, most recently used first. */
export async function listImages(layout: Layout, tryLock: TryLock): Promise<ListedImage[]> {
  const names = [...(await readdir(layout.blobs)), ...(await readdir(layout.trees))]
  const digests = new Set(
    names.flatMap((name) => /^([0-9a-f]{64})(?![0-9a-f])/.exec(name)?.[1] ?? []),
  )
  const images = await Promise.all([...digests].map((sha256) => readImage(layout, tryLock, sha256)))
  return images
    .filter(
      (image) => image.archive !== undefined || image.part !== undefined || image.trees.length > 0,
    )
    .toSorted((a, b) => b.lastUsed - a.lastUsed)
}

/**
 * The one image whose digest begins with `prefix`.
 *
 * @throws ImageError IMAGE_NOT_FOUND naming what was found
 */
export function findImage(images: readonly ListedImage[], prefix: string): ListedImage {
  const wanted = prefix.toLowerCase()
  if (!/^[0-9a-f]{1,64}$/.test(wanted)) {
    throw notFound(`expected hex digits of an image's sha256, found ${JSON.stringify(prefix)}`)
  }
  const matches = images.filter(({ sha256 }) => sha256.startsWith(wanted))
  const [image, second] = matches
  if (image !== undefined && second === undefined) return image
  const what = second === undefined ? 'no image begins with' : 'more than one image begins with'
  const among = second === undefined ? images : matches
  const found = among.length === 0 ? 'none at all' : among.map(({ sha256 }) => sha256.slice(0, 16))
  throw notFound(`${what} ${wanted}; found: ${String(found)}`)
}

async function readImage(layout: Layout, tryLock: TryLock, sha256: string): Promise<ListedImage> {
  const path = join(layout.blobs, sha256)
  const [archive, part, found, record] = await Promise.all([
    sizesOf(path),
    sizesOf(`${path}.part`),
    readTrees(layout, sha256),
    readRecord(path),
  ])
  const trees = found.map(({ tree }) => tree)
  const url = record?.url ?? found.find((item) => item.url !== undefined)?.url
  const all = [archive, part, ...trees].filter((item) => item !== undefined)
  return {
    sha256,
    ...(url !== undefined && { url }),
    ...(archive && { archive: { path, bytes: archive.bytes, diskBytes: archive.diskBytes } }),
    ...(part && { part: { bytes: part.bytes, diskBytes: part.diskBytes } }),
    trees,
    diskBytes: all.reduce((sum, { diskBytes }) => sum + diskBytes, 0),
    lastUsed: Math.max(0, ...all.map(({ lastUsed }) => lastUsed)),
    inUse: isInUse(layout, tryLock, sha256),
  }
}

async function readTrees(
  layout: Layout,
  sha256: string,
): Promise<{ tree: ListedTree; url?: string | undefined }[]> {
  const names = (await readdir(layout.trees)).map(parseTreeName)
  const ours = names.filter((name) => name?.sha256 === sha256 && name.version === treeVersion)
  const trees = await Promise.all(ours.map((name) => readListed(layout, sha256, name?.uid ?? 0)))
  return trees.filter((item) => item !== undefined)
}

async function readListed(layout: Layout, sha256: string, uid: number) {
  const tree = await readTree(layout, treeName(sha256, uid))
  if (tree === undefined) return undefined
  const { bytes, entries, diskBytes, made, url } = tree.meta
  const path = join(tree.folder, 'root')
  return { tree: { path, uid, bytes, entries, diskBytes, made, lastUsed: tree.lastUsed }, url }
}

async function sizesOf(path: string) {
  const found = await stat(path).catch(() => undefined) // missing
  if (found?.isFile() !== true) return undefined
  return { bytes: found.size, diskBytes: found.blocks * blockBytes, lastUsed: found.mtimeMs }
}

/** Users hold an image's lock shared: an exclusive lock succeeds only on an unused image. */
function isInUse(layout: Layout, tryLock: TryLock, sha256: string): boolean {
  const release = tryLock(useLockPath(layout, sha256), 'exclusive')
  release?.()
  return release === undefined
}

function notFound(message: string): ImageError {
  return new ImageError('IMAGE_NOT_FOUND', message)
}
