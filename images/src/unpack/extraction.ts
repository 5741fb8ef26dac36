/**
 * Extracts an archive by decoder and unpacker, and finds which of them caused a failure.
 *
 * @module
 */
import type { FileHandle } from 'node:fs/promises'
import { orUndo } from '@causeway/service/failure'
import type { OnProgress } from '../progress.ts'
import type { Owner } from '../root/write-in-root.ts'
import type { ArchiveFormat } from './archive-format.ts'
import { decoderCommand } from './decoder.ts'
import { gunzipInto } from './gunzip.ts'
import { watchReading } from './read-progress.ts'
import { startUnpacker, type Unpacked, type Unpacker } from './unpacker.ts'

/** An archive to be read once, from its beginning. */
export interface Archive {
  file: FileHandle
  /** Bytes. */
  size: number
  format: ArchiveFormat
}

/** Options of extract; see UnpackOptions. */
export interface ExtractOptions {
  unpacker: string
  owner: Owner | undefined
  maxBytes?: number
  maxEntries?: number
  signal?: AbortSignal | undefined
  onProgress?: OnProgress | undefined
}

const defaultMaxBytes = 8 * 2 ** 30
const defaultMaxEntries = 1_000_000

/**
 * Extracts the archive into `folder`; returns when every child has ended.
 *
 * @throws as unpackImage
 */
export async function extract(
  archive: Archive,
  folder: string,
  options: ExtractOptions,
): Promise<Unpacked> {
  const { signal } = options
  using progress = watchReading(archive.file, archive.size, options.onProgress)
  const unpacker = await start(archive, folder, options)
  signal?.addEventListener('abort', unpacker.kill, { once: true })
  if (signal?.aborted === true) unpacker.kill()
  try {
    const unpacked = await run(unpacker, archive.file)
    progress.finish()
    // The signal may have aborted just before the end.
    signal?.throwIfAborted()
    return unpacked
  } catch (error) {
    signal?.throwIfAborted()
    throw error
  } finally {
    signal?.removeEventListener('abort', unpacker.kill)
  }
}

async function start(
  { file, format }: Archive,
  folder: string,
  options: ExtractOptions,
): Promise<Unpacker> {
  const { unpacker, owner, maxBytes, maxEntries } = options
  return startUnpacker({
    program: unpacker,
    folder,
    owner,
    maxBytes: maxBytes ?? defaultMaxBytes,
    maxEntries: maxEntries ?? defaultMaxEntries,
    decoder: await decoderCommand(format),
    archive: format === 'tar.gz' ? 'pipe' : file.fd,
  })
}

async function run({ input, result, kill }: Unpacker, file: FileHandle): Promise<Unpacked> {
  if (input === null) return result
  const end = () => {
    kill()
    return Promise.allSettled([result])
  }
  await orUndo(() => gunzipInto(file, input), end)
  return result
}
