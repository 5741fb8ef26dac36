/**
 * Decompresses an archive: gzip in this process, xz and zstd by the host's programs, whose memory
 * is bounded whatever the archive asks for.
 *
 * @module
 */
import type { Writable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, type Gunzip } from 'node:zlib'
import { ImageError, errorCode, errorText } from '../image-error.ts'
import { describeExit, isBrokenPipe, startTool, type Tool, type ToolOptions } from '../tool.ts'
import type { ArchiveFormat } from './archive-format.ts'

/** A decompressor at work. */
export interface Decoder {
  /**
   * The uncompressed archive; ends only after the program has ended well.
   *
   * @throws ImageError IMAGE_ARCHIVE_INVALID with the program's words, IMAGE_BUILD_FAILED when it
   *   is not installed
   */
  output: AsyncIterable<Buffer>
  /** Settles when it has been given everything; rejects when it stopped listening. */
  fed: Promise<void>
  /** The program doing it, if one does. */
  tool: Tool | undefined
}

/** `xz -9` needs 65 MiB to decompress, `zstd -19` 8 MiB; -T0 uses the blocks of a large xz. */
const programs = {
  'tar.xz': ['xz', '-dc', '-T0', '--memlimit-decompress=256MiB', '--memlimit-mt-decompress=256MiB'],
  'tar.zst': ['zstd', '-dcq', '--memory=256MB'],
} as const

/** Starts decompressing `chunks`; programs run as `who`. */
export function startDecoder(
  format: ArchiveFormat,
  chunks: AsyncIterable<Buffer>,
  who: ToolOptions,
): Decoder {
  if (format === 'tar') return { output: chunks, fed: Promise.resolve(), tool: undefined }
  if (format === 'tar.gz') return decodeGzip(chunks)
  const [name, ...args] = programs[format]
  const tool = startTool(name, args, who)
  return { output: outputOf(tool), fed: feed(chunks, tool.stdin), tool }
}

async function* outputOf(tool: Tool): AsyncGenerator<Buffer> {
  try {
    yield* tool.stdout as AsyncIterable<Buffer>
  } catch (error) {
    if (!isBrokenPipe(error)) throw error
  }
  const exit = await tool.exit
  if (exit.code !== 0) throw cannotUnpack(describeExit(exit))
}

function decodeGzip(chunks: AsyncIterable<Buffer>): Decoder {
  const gunzip = createGunzip({ chunkSize: 256 * 1024 })
  return { output: gunzipped(gunzip), fed: feed(chunks, gunzip), tool: undefined }
}

async function* gunzipped(gunzip: Gunzip): AsyncGenerator<Buffer> {
  try {
    yield* gunzip as AsyncIterable<Buffer>
  } catch (error) {
    if (errorCode(error)?.startsWith('Z_') !== true) throw error
    throw cannotUnpack(`gzip: ${errorText(error)}`, error)
  }
}

/** The error for an archive that one of the programs, or zlib, complained about. */
export function cannotUnpack(reason: string, cause?: unknown): ImageError {
  const message = `the image archive cannot be unpacked: ${reason}`
  return new ImageError('IMAGE_ARCHIVE_INVALID', message, { cause })
}

function feed(chunks: AsyncIterable<Buffer>, target: Writable): Promise<void> {
  const fed = pipeline(chunks, target)
  fed.catch(() => {}) // Waited for at the end, together with what reads the output.
  return fed
}
