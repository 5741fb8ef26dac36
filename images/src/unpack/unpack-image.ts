/**
 * Unpacks a verified archive into a folder: decompress, meter, filter, extract, rename.
 *
 * The archive is hostile. What parses it for real (xz, zstd, GNU tar) runs in children with the
 * guest's uid and no environment; they cannot even see the host path they work in.
 *
 * @module
 */
import { lstat, open, type FileHandle } from 'node:fs/promises'
import { countProgress, type ByteProgress, type OnProgress } from '../progress.ts'
import { detectFormat } from './archive-format.ts'
import { extract, type Archive } from './extraction.ts'
import { removeTree } from '../root/remove-tree.ts'
import { createStaging, promoteStaging } from './staging.ts'
import { tarBlockBytes } from './tar-header.ts'

/** Whose the tree becomes, and how large it may get. */
export interface UnpackOptions {
  /** Owner of every file and the user the extractor runs as; default: the caller. */
  uid?: number
  gid?: number
  /** Largest uncompressed archive in bytes, default 8 GiB. */
  maxBytes?: number
  signal?: AbortSignal
  onProgress?: OnProgress
}

const defaultMaxBytes = 8 * 2 ** 30

/**
 * Unpacks the archive at `archivePath` (.tar.xz, .tar.gz, .tar.zst or .tar, told by its content)
 * into `targetFolder`, which must not exist; its parent must. A single top-level folder around the
 * root is stripped. Devices and fifos are skipped, setuid and setgid dropped, other modes kept.
 * Nothing is left behind on failure, and nothing but `targetFolder` on success.
 *
 * @returns the size of the uncompressed archive in bytes
 * @throws ImageError IMAGE_ARCHIVE_INVALID, IMAGE_TOO_LARGE (also for a full disk),
 *   IMAGE_BUILD_FAILED when xz, zstd or tar is not installed; the signal's reason when aborted;
 *   system errors of the target folder (EEXIST, EACCES, ...) as they are
 */
export async function unpackImage(
  archivePath: string,
  targetFolder: string,
  options: UnpackOptions = {},
): Promise<{ bytes: number }> {
  options.signal?.throwIfAborted()
  await refuseExisting(targetFolder)
  const file = await open(archivePath, 'r')
  try {
    return { bytes: await unpackFile(file, targetFolder, options) }
  } finally {
    await file.close()
  }
}

async function unpackFile(
  file: FileHandle,
  targetFolder: string,
  options: UnpackOptions,
): Promise<number> {
  const { uid, gid, maxBytes = defaultMaxBytes, signal } = options
  const archive = await readArchive(file, options.onProgress)
  const staging = await createStaging(targetFolder, uid ?? -1, gid ?? -1)
  try {
    const who = { ...(uid === undefined ? {} : { uid }), ...(gid === undefined ? {} : { gid }) }
    const bytes = await extract(archive, { ...who, cwd: staging }, maxBytes, signal)
    await promoteStaging(staging, targetFolder)
    return bytes
  } finally {
    await removeTree(staging)
  }
}

async function refuseExisting(path: string): Promise<void> {
  const found = await lstat(path).catch(() => undefined) // missing, as it should be
  if (found === undefined) return
  throw Object.assign(new Error(`image target ${path} already exists`), { code: 'EEXIST' })
}

async function readArchive(file: FileHandle, onProgress: OnProgress | undefined): Promise<Archive> {
  const { size } = await file.stat()
  const head = Buffer.alloc(tarBlockBytes)
  const { bytesRead } = await file.read(head, 0, tarBlockBytes, 0)
  const format = detectFormat(head.subarray(0, bytesRead))
  return { format, chunks: readChunks(file, countProgress('unpack', size, onProgress)) }
}

async function* readChunks(file: FileHandle, progress: ByteProgress): AsyncGenerator<Buffer> {
  const stream = file.createReadStream({ start: 0, highWaterMark: 1 << 20, autoClose: false })
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    progress.add(chunk.length)
    yield chunk
  }
  progress.finish()
}
