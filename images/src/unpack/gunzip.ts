/** Decompresses gzip in this process, on zlib's threads. @module */
import type { FileHandle } from 'node:fs/promises'
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip } from 'node:zlib'
import { errorCode } from '@causeway/service/failure'
import { errorText } from '../image-error.ts'
import { isBrokenPipe } from '../tool.ts'
import { cannotUnpack } from './unpacker.ts'

const chunkBytes = 256 * 1024

/**
 * Decompresses the file, from its current position, into `target`. Returns when all is written, or
 * when `target` closes, whose owner then knows why. After the last gzip member only zeros may
 * follow, as on tapes.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID
 */
export async function gunzipInto(file: FileHandle, target: Writable): Promise<void> {
  const source = file.createReadStream({ highWaterMark: chunkBytes, autoClose: false })
  try {
    await pipeline(source, createGunzip({ chunkSize: chunkBytes }), target)
  } catch (error) {
    if (isBrokenPipe(error)) return
    if (errorCode(error)?.startsWith('Z_') !== true) throw error
    throw cannotUnpack(`gzip: ${errorText(error)}`, error)
  }
}
