/**
 * One download: a source, its time limits, and the part file that becomes the archive. An
 * interrupted download leaves its part file, and the next download of the same URL continues it.
 *
 * @module
 */
import { errorCode, orUndo } from '@causeway/service/failure'
import { ImageError, errorText } from '../image-error.ts'
import { countProgress, type OnProgress } from '../progress.ts'
import { startDeadlines, type Deadlines } from './deadlines.ts'
import { diskFull, requireSpace } from './disk-space.ts'
import { openFile } from './file-source.ts'
import { openHttp } from './http-source.ts'
import { Part } from './part.ts'
import type { ArchiveSource, Resume } from './source.ts'
import type { SourcePolicy } from './url-policy.ts'

/** Limits of a download; see ImageStoreOptions. */
export interface DownloadLimits extends SourcePolicy {
  maxDownloadBytes: number
  timeoutMs: number
  stallTimeoutMs: number
}

/** The archive's final path and the digest it must have. */
export interface Target {
  path: string
  /** 64 lower-case hex digits. */
  sha256: string
}

interface Transfer {
  url: URL
  target: Target
  part: Part
  limits: DownloadLimits
  deadlines: Deadlines
  onProgress: OnProgress | undefined
}

/**
 * Downloads `url` (already checked) into the store; the caller holds the fetch lock.
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
  const part = await Part.open(target.path, url)
  try {
    return await complete({ url, target, part, limits, deadlines, onProgress })
  } catch (error) {
    // An abort may surface as another error first; the caller must see the abort's reason.
    const failure: unknown = deadlines.signal.aborted
      ? deadlines.signal.reason
      : asDownloadError(error, target)
    await (isWorthless(failure) ? part.discard() : part.putAside())
    throw failure
  } finally {
    deadlines.clear()
    await part.close()
  }
}

/** True when the bytes are wrong or too many: a later download must not continue them. */
function isWorthless(error: unknown): boolean {
  if (!(error instanceof ImageError)) return false
  return error.kind === 'IMAGE_DIGEST_MISMATCH' || error.kind === 'IMAGE_TOO_LARGE'
}

/** A continued transfer with a wrong digest may mix two entities: start once more from zero. */
async function complete(transfer: Transfer): Promise<number> {
  const { part, target } = transfer
  const isContinued = await receive(transfer, part.resume)
  let found = part.digest()
  if (found !== target.sha256 && isContinued) {
    await receive(transfer, undefined)
    found = part.digest()
  }
  if (found !== target.sha256) throw mismatch(target.sha256, found, part.bytes)
  await part.publish()
  return part.bytes
}

/** @returns whether the part includes bytes of an earlier transfer */
async function receive(transfer: Transfer, resume: Resume | undefined): Promise<boolean> {
  const { part } = transfer
  // Read the part before sending the request: the server would not wait that long.
  if (resume !== undefined) await readPart(transfer, resume)
  if (resume !== undefined && resume.bytes === resume.totalBytes) return true
  const source = await openSource(transfer, resume)
  const check = async () => {
    if (source.offset === 0) await part.restart(source)
    await checkSource(transfer, source)
  }
  await orUndo(check, () => source.cancel())
  await copy(transfer, source)
  return source.offset > 0
}

async function readPart({ part, deadlines, onProgress }: Transfer, { bytes }: Resume) {
  const progress = countProgress('verify', bytes, onProgress)
  await part.readAgain((count) => {
    deadlines.signal.throwIfAborted()
    deadlines.touch()
    progress.add(count)
  })
}

function openSource({ url, limits, deadlines }: Transfer, resume: Resume | undefined) {
  if (url.protocol === 'file:') return openFile(url)
  return openHttp(url, { policy: limits, signal: deadlines.signal, resume })
}

async function checkSource(
  { target, limits }: Transfer,
  { totalBytes, offset }: ArchiveSource,
): Promise<void> {
  if (totalBytes === undefined) return
  checkSize(totalBytes, limits.maxDownloadBytes)
  await requireSpace(target.path, totalBytes - offset, 'the image archive')
}

async function copy(transfer: Transfer, source: ArchiveSource): Promise<void> {
  const { part, limits, deadlines, onProgress } = transfer
  const progress = countProgress('download', source.totalBytes, onProgress, source.offset)
  for await (const chunk of source.chunks) {
    deadlines.signal.throwIfAborted()
    checkSize(part.bytes + chunk.length, limits.maxDownloadBytes)
    await part.append(chunk)
    progress.add(chunk.length)
    deadlines.touch()
  }
  progress.finish()
}

function checkSize(bytes: number, maxBytes: number): void {
  if (bytes <= maxBytes) return
  throw new ImageError('IMAGE_TOO_LARGE', `image archive is larger than ${maxBytes} bytes`)
}

function mismatch(expected: string, found: string, bytes: number): ImageError {
  const message = `image archive (${bytes} bytes) has sha256 ${found}, expected ${expected}`
  return new ImageError('IMAGE_DIGEST_MISMATCH', message)
}

function asDownloadError(error: unknown, { path }: Target): unknown {
  if (error instanceof ImageError) return error
  if (errorCode(error) === 'ENOSPC') return diskFull(path, 'the image archive', error)
  const message = `image download failed: ${errorText(error)}`
  return new ImageError('IMAGE_DOWNLOAD_FAILED', message, { cause: error })
}
