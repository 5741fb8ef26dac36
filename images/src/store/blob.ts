/**
 * One archive in the store: written under a name of its own while its digest is computed, and
 * given its final name only when that digest is the expected one.
 *
 * @module
 */
import { createHash, randomBytes } from 'node:crypto'
import { constants, open, rename, rm, type FileHandle } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ImageError, errorCode } from '../image-error.ts'
import type { ByteProgress } from '../progress.ts'
import { chunksOf } from './file-source.ts'

/** What is written and what it must turn out to be. */
export interface BlobWrite {
  /** Final path; the unfinished file is `<path>.<random>.part` beside it. */
  path: string
  /** 64 lower-case hex digits. */
  sha256: string
  chunks: AsyncIterable<Uint8Array>
  /** Announced size, when there is one. */
  totalBytes: number | undefined
  maxBytes: number
  progress: ByteProgress
  /** Called after every chunk. */
  onChunk(): void
}

/**
 * Streams the chunks into a synced, read-only-to-us file at `path`; on any failure nothing is left.
 *
 * @returns its size in bytes
 * @throws ImageError IMAGE_TOO_LARGE, IMAGE_DIGEST_MISMATCH; whatever the chunks throw
 */
export async function writeBlob(blob: BlobWrite): Promise<number> {
  const part = `${blob.path}.${randomBytes(8).toString('hex')}.part`
  const file = await open(part, 'wx', 0o600)
  try {
    const bytes = await copyChecked(blob, file)
    await file.sync()
    await rename(part, blob.path)
    await syncFolder(dirname(blob.path))
    return bytes
  } catch (error) {
    await rm(part, { force: true })
    throw error
  } finally {
    await file.close()
  }
}

/** Size and digest of the file at `path`; undefined when there is no regular file. */
export async function hashFile(
  path: string,
  onBytes?: (count: number, totalBytes: number) => void,
  signal?: AbortSignal,
): Promise<{ sha256: string; bytes: number } | undefined> {
  const file = await openExisting(path)
  if (file === undefined) return undefined
  const stat = await file.stat()
  if (!stat.isFile()) return file.close().then(() => undefined)
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of chunksOf(file)) {
    signal?.throwIfAborted()
    hash.update(chunk)
    bytes += chunk.length
    onBytes?.(chunk.length, stat.size)
  }
  return { sha256: hash.digest('hex'), bytes }
}

async function copyChecked(blob: BlobWrite, file: FileHandle): Promise<number> {
  const hash = createHash('sha256')
  let bytes = 0
  for await (const chunk of blob.chunks) {
    bytes += chunk.length
    if (Math.max(bytes, blob.totalBytes ?? 0) > blob.maxBytes) throw tooLarge(blob.maxBytes)
    hash.update(chunk)
    await file.writeFile(chunk)
    blob.progress.add(chunk.length)
    blob.onChunk()
  }
  const found = hash.digest('hex')
  if (found !== blob.sha256) throw mismatch(blob.sha256, found, bytes)
  blob.progress.finish()
  return bytes
}

function tooLarge(maxBytes: number): ImageError {
  return new ImageError('IMAGE_TOO_LARGE', `image archive is larger than ${maxBytes} bytes`)
}

function mismatch(expected: string, found: string, bytes: number): ImageError {
  const message = `image archive (${bytes} bytes) has sha256 ${found}, expected ${expected}`
  return new ImageError('IMAGE_DIGEST_MISMATCH', message)
}

async function openExisting(path: string): Promise<FileHandle | undefined> {
  try {
    return await open(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    const code = errorCode(error)
    if (code === 'ENOENT' || code === 'ELOOP') return undefined
    throw error
  }
}

/** The new name must survive a power cut as the bytes do. */
async function syncFolder(path: string): Promise<void> {
  const folder = await open(path, constants.O_RDONLY | constants.O_DIRECTORY)
  await folder.sync()
  await folder.close()
}
