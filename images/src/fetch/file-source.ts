/** Opens an archive on this host, for `file:` URLs. @module */
import { constants, open, type FileHandle } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { ImageError, errorText } from '../image-error.ts'
import type { ArchiveSource } from './source.ts'

/**
 * Opens the regular file behind a `file:` URL (already checked). The file is closed once its chunks
 * are read or abandoned.
 *
 * @throws ImageError IMAGE_DOWNLOAD_FAILED when it is missing, unreadable or not a regular file
 */
export async function openFile(url: URL): Promise<ArchiveSource> {
  try {
    return await readRegular(fileURLToPath(url))
  } catch (error) {
    const message = `image file ${url.pathname} cannot be read: ${errorText(error)}`
    throw new ImageError('IMAGE_DOWNLOAD_FAILED', message, { cause: error })
  }
}

async function readRegular(path: string): Promise<ArchiveSource> {
  // O_NONBLOCK: opening a fifo must not wait for a writer.
  const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK)
  const stat = await file.stat()
  if (!stat.isFile()) {
    await file.close()
    throw new TypeError('not a regular file')
  }
  return { chunks: chunksOf(file), totalBytes: stat.size, offset: 0, cancel: () => file.close() }
}

/** The file's bytes in pieces of up to 1 MiB; closes the file at the end. */
export async function* chunksOf(file: FileHandle): AsyncGenerator<Uint8Array> {
  const stream = file.createReadStream({ highWaterMark: 1 << 20 })
  for await (const chunk of stream as AsyncIterable<Buffer>) yield chunk
}
