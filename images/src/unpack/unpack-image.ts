/**
 * Unpacks a verified archive into a folder: decompress, extract, rename.
 *
 * The archive is hostile. `bridge-unpack`, xz and zstd parse it in children without an environment,
 * never as root, and confined to their working folder. Only zlib, which handles nothing but bytes,
 * runs in this process.
 *
 * @module
 */
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { orUndo } from '@causeway/service/failure'
import type { OnProgress } from '../progress.ts'
import { removeTree } from '../root/remove-tree.ts'
import type { Owner } from '../root/write-in-root.ts'
import { detectFormat } from './archive-format.ts'
import { extract, type Archive } from './extraction.ts'
import { createStaging, promoteStaging } from './staging.ts'
import { tarBlockBytes } from './tar-checksum.ts'

/** Owner and limits of an unpacked tree. */
export interface UnpackOptions {
  /** Path of `bridge-unpack`. */
  unpacker: string
  /**
   * Owner of every file, and the user that reads the archive; not 0. Required for root; for other
   * users it is the caller.
   */
  uid?: number
  gid?: number
  /** Largest uncompressed archive in bytes, default 8 GiB. */
  maxBytes?: number
  /** Limit of entries, default 1,000,000; a full desktop distribution has 300,000. */
  maxEntries?: number
  signal?: AbortSignal | undefined
  onProgress?: OnProgress | undefined
}

/** The result of unpacking. */
export interface UnpackedImage {
  /** Size of the uncompressed archive in bytes. */
  bytes: number
  /** Number of files, folders and links that the archive named. */
  entries: number
  /** Number of devices, fifos and whiteouts left out. */
  skipped: number
}

/**
 * Unpacks the archive at `archivePath` into `targetFolder`, which must not exist; its parent must.
 * The content decides the format: .tar.xz, .tar.gz, .tar.zst or .tar. A single top-level folder
 * around the root is stripped. Devices and fifos are skipped, setuid and setgid dropped, other
 * modes and all times kept. A failure leaves nothing behind, a success only `targetFolder`.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID, IMAGE_TOO_LARGE (also for a full disk),
 *   IMAGE_BUILD_FAILED when xz or zstd is not installed or the kernel lacks a needed feature; the
 *   signal's reason when aborted; TypeError for root without an owner; system errors of the target
 *   folder (EEXIST, EACCES, ...) as they are
 */
export async function unpackImage(
  archivePath: string,
  targetFolder: string,
  options: UnpackOptions,
): Promise<UnpackedImage> {
  const owner = ownerOf(options)
  options.signal?.throwIfAborted()
  await refuseExisting(targetFolder)
  await using file = await open(archivePath, 'r')
  return await unpackFile(file, targetFolder, owner, options)
}

async function unpackFile(
  file: FileHandle,
  targetFolder: string,
  owner: Owner | undefined,
  options: UnpackOptions,
): Promise<UnpackedImage> {
  const archive = await identify(file)
  const staging = await createStaging(targetFolder, owner)
  const unpack = async () => {
    const { wrapped, ...unpacked } = await extract(archive, staging, { ...options, owner })
    await promoteStaging(staging, targetFolder, wrapped)
    return unpacked
  }
  return orUndo(unpack, () => removeTree(staging))
}

/** Undefined for an ordinary user, who cannot give files away. */
function ownerOf({ uid, gid }: UnpackOptions): Owner | undefined {
  if (uid && gid) return { uid, gid }
  if (process.getuid?.() !== 0) return undefined
  throw new TypeError('unpackImage by root needs the uid and gid of the owner, neither of them 0')
}

async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined) // missing, as it should be
  if (found === undefined) return
  throw Object.assign(new Error(`image target ${path} already exists`), { code: 'EEXIST' })
}

async function identify(file: FileHandle): Promise<Archive> {
  const { size } = await file.stat()
  const head = Buffer.alloc(tarBlockBytes)
  // Read by position: the next reader starts at the file's beginning.
  const { bytesRead } = await file.read(head, 0, tarBlockBytes, 0)
  return { file, size, format: detectFormat(head.subarray(0, bytesRead)) }
}
