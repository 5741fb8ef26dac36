/**
 * One download: a source, the clocks over it, and the blob it becomes.
 *
 * @module
 */
import { ImageError, errorText } from '../image-error.ts'
import { countProgress, type OnProgress } from '../progress.ts'
import { writeBlob } from './blob.ts'
import { startDeadlines, type Deadlines } from './deadlines.ts'
import { openFile } from './file-source.ts'
import { openHttp } from './http-source.ts'

/** What a download may touch and cost; see ImageStoreOptions. */
export interface DownloadLimits {
  allowLocal: boolean
  maxDownloadBytes: number
  timeoutMs: number
  stallTimeoutMs: number
}

/** Where the archive goes and which digest it must have. */
interface Target {
  path: string
  sha256: string
}

/**
 * Downloads `url` (already checked) into the store.
 *
 * @returns the archive's size in bytes
 * @throws ImageError; the outer signal's reason when it aborts
 */
export async function download(
  url: URL,
  target: Target,
  limits: DownloadLimits,
  outer: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
): Promise<number> {
  const deadlines = startDeadlines(limits.timeoutMs, limits.stallTimeoutMs, outer)
  try {
    return await transfer(url, target, limits, deadlines, onProgress)
  } catch (error) {
    // Whatever an abort broke first, the reason of the abort is what the caller must see.
    deadlines.signal.throwIfAborted()
    throw asDownloadError(error)
  } finally {
    deadlines.clear()
  }
}

async function transfer(
  url: URL,
  target: Target,
  limits: DownloadLimits,
  { signal, touch }: Deadlines,
  onProgress: OnProgress | undefined,
): Promise<number> {
  const { chunks, totalBytes } =
    url.protocol === 'file:' ? await openFile(url) : await openHttp(url, limits.allowLocal, signal)
  return writeBlob({
    ...target,
    chunks: abortable(chunks, signal),
    totalBytes,
    maxBytes: limits.maxDownloadBytes,
    progress: countProgress('download', totalBytes, onProgress),
    onChunk: touch,
  })
}

/** Ends with the signal's reason also where the source itself does not listen to the signal. */
async function* abortable(
  chunks: AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncGenerator<Uint8Array, undefined> {
  for await (const chunk of chunks) {
    signal.throwIfAborted()
    yield chunk
  }
}

function asDownloadError(error: unknown): unknown {
  if (error instanceof ImageError) return error
  const message = `image download failed: ${errorText(error)}`
  return new ImageError('IMAGE_DOWNLOAD_FAILED', message, { cause: error })
}
