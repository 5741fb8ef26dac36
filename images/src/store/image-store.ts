/**
 * The image store: archives by their SHA-256, fetched once, checked at every use.
 *
 * @module
 */
import { mkdir, chmod, readdir, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { countProgress, type ByteProgress, type OnProgress } from '../progress.ts'
import { hashFile } from './blob.ts'
import { download, type DownloadLimits } from './download.ts'
import { checkUrl } from './url-policy.ts'

/** An image as a manifest names it. */
export interface ImageReference {
  /** https; `file:` or loopback http when the store allows local images. */
  url: string
  /** SHA-256 of the archive as served, 64 hex digits of either case. */
  sha256: string
}

/** Where archives are kept and what a download may cost. */
export interface ImageStoreOptions {
  /** Created with mode 0700 when missing; archives are `blobs/<sha256>` in it. */
  folder: string
  /** Opens `file:`, http to loopback, and https to private addresses. */
  allowLocal: boolean
  /** Largest archive in bytes, default 4 GiB. */
  maxDownloadBytes?: number
  /** Longest download in ms, default 30 min. */
  timeoutMs?: number
  /** Longest silence of the server in ms, default 30 s. */
  stallTimeoutMs?: number
}

/** A verified archive in the store. */
export interface StoredImage {
  path: string
  /** Lower-case hex. */
  sha256: string
  bytes: number
  /** True when it was there already and still had its digest. */
  fromCache: boolean
}

/** How one fetch is watched and given up. */
export interface FetchOptions {
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** See {@link createImageStore}. */
export interface ImageStore {
  /**
   * Returns the archive with exactly this digest, downloading it if it is not in the store. Any
   * number of calls and processes may fetch the same image at once.
   *
   * @throws ImageError IMAGE_URL_REFUSED, IMAGE_DOWNLOAD_FAILED, IMAGE_DIGEST_MISMATCH,
   *   IMAGE_TOO_LARGE; TypeError for a malformed digest; the signal's reason when aborted
   */
  fetch(reference: ImageReference, options?: FetchOptions): Promise<StoredImage>
}

const defaults = {
  maxDownloadBytes: 4 * 2 ** 30,
  timeoutMs: 30 * 60_000,
  stallTimeoutMs: 30_000,
}

/** Opens the store in `options.folder`; nothing is touched until the first fetch. */
export function createImageStore(options: ImageStoreOptions): ImageStore {
  const { folder, ...given } = options
  const limits: DownloadLimits = { ...defaults, ...given }
  const blobs = join(folder, 'blobs')
  return {
    async fetch(reference, { signal, onProgress } = {}) {
      signal?.throwIfAborted()
      const url = checkUrl(reference.url, limits.allowLocal)
      const sha256 = normalizeDigest(reference.sha256)
      const path = join(blobs, sha256)
      await prepareFolder(folder, blobs)
      const cached = await verifyCached(path, sha256, signal, onProgress)
      if (cached !== undefined) return { path, sha256, bytes: cached, fromCache: true }
      const bytes = await download(url, { path, sha256 }, limits, signal, onProgress)
      return { path, sha256, bytes, fromCache: false }
    },
  }
}

function normalizeDigest(sha256: string): string {
  if (/^[0-9a-f]{64}$/i.test(sha256)) return sha256.toLowerCase()
  throw new TypeError(`image sha256 must be 64 hex digits, found ${JSON.stringify(sha256)}`)
}

/** @returns the size of the stored archive, undefined when it is missing or damaged */
async function verifyCached(
  path: string,
  sha256: string,
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
): Promise<number | undefined> {
  let progress: ByteProgress | undefined
  const count = (bytes: number, totalBytes: number) =>
    (progress ??= countProgress('verify', totalBytes, onProgress)).add(bytes)
  const found = await hashFile(path, count, signal)
  progress?.finish()
  return found?.sha256 === sha256 ? found.bytes : undefined
}

/** A part untouched for a day belongs to a process that is gone. */
const stalePartMs = 24 * 60 * 60_000

async function prepareFolder(folder: string, blobs: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  await mkdir(blobs, { recursive: true, mode: 0o700 })
  await chmod(blobs, 0o700)
  const parts = (await readdir(blobs)).filter((name) => name.endsWith('.part'))
  await Promise.all(parts.map((name) => removeStale(join(blobs, name))))
}

async function removeStale(part: string): Promise<void> {
  const found = await stat(part).catch(() => undefined) // another fetch may have finished it
  if (found !== undefined && Date.now() - found.mtimeMs > stalePartMs) {
    await rm(part, { force: true })
  }
}
