/**
 * Makes a tree: fetches the archive, unpacks it in a staging folder, summarizes and publishes it.
 *
 * @module
 */
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { errorCode } from '@causeway/service/failure'
import { ImageError } from '../../image-error.ts'
import { withFolder } from '../../root/remove-tree.ts'
import type { Owner } from '../../root/write-in-root.ts'
import { unpackImage } from '../../unpack/unpack-image.ts'
import { announcedSize } from './archive-size.ts'
import type { FetchOptions, StoredImage } from '../archives.ts'
import { diskFull, requireSpace } from '../../fetch/disk-space.ts'
import type { Layout } from '../layout.ts'
import { summarizeTree } from './tree-digest.ts'
import { publishTree } from './trees.ts'

/** Owner and size limit of a new tree. */
export interface MakeTreeOptions extends FetchOptions {
  /** Required for root; for other users it is the caller. */
  owner?: Owner
  /** Largest uncompressed archive in bytes. */
  maxBytes?: number
}

/** The parts of the store that make a tree. */
export interface TreeMaker {
  layout: Layout
  /** Path of `bridge-unpack`. */
  unpacker: string
}

/**
 * Unpacks a verified archive as the tree `name`; the caller has that name's unpack lock.
 *
 * @throws ImageError as unpackImage; no part of the tree is left then
 */
export async function makeTree(
  maker: TreeMaker,
  name: string,
  image: StoredImage & { url?: string },
  options: MakeTreeOptions,
): Promise<void> {
  const staging = join(maker.layout.trees, `${name}.${randomBytes(8).toString('hex')}.staging`)
  const made = Date.now()
  const make = async () => {
    const root = join(staging, 'root')
    const { bytes } = await unpackTo(maker, image, root, options)
    const { digest, entries, diskBytes } = await summarizeTree(root, options.signal)
    options.onProgress?.({ phase: 'unpack', bytes: image.bytes, totalBytes: image.bytes, entries })
    const { sha256, url, bytes: archiveBytes } = image
    const meta = { sha256, ...(url !== undefined && { url }), archiveBytes, bytes, entries }
    await publishTree(maker.layout, name, staging, { ...meta, digest, diskBytes, made })
  }
  await withFolder(staging, make).catch((error: unknown) => {
    throw errorCode(error) === 'ENOSPC' ? diskFull(staging, 'the image', error) : error
  })
}

/**
 * Unpacks an archive into `root`, after checking for free disk space.
 *
 * @throws ImageError IMAGE_TOO_LARGE when the archive announces more bytes than fit
 */
export async function unpackTo(
  { unpacker }: Pick<TreeMaker, 'unpacker'>,
  image: Pick<StoredImage, 'path'>,
  root: string,
  { owner, maxBytes, signal, onProgress }: MakeTreeOptions,
): Promise<{ bytes: number }> {
  const announced = await announcedSize(image.path)
  checkTreeSize(announced, maxBytes)
  await requireSpace(root, announced, 'the unpacked image')
  return unpackImage(image.path, root, {
    unpacker,
    ...owner,
    ...(maxBytes === undefined ? {} : { maxBytes }),
    ...(signal === undefined ? {} : { signal }),
    ...(onProgress === undefined ? {} : { onProgress }),
  })
}

/** @throws ImageError IMAGE_TOO_LARGE when an unpacked archive is larger than allowed */
export function checkTreeSize(bytes: number, maxBytes: number | undefined): void {
  if (maxBytes === undefined || bytes <= maxBytes) return
  const message = `the unpacked image has ${bytes} bytes, expected at most ${maxBytes}`
  throw new ImageError('IMAGE_TOO_LARGE', message)
}
