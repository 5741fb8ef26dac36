/** The archives of a store, by SHA-256: fetched once, verified at every use. @module */
import { stat, utimes, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readJsonRecord } from '../json-record.ts'
import { countProgress, type ByteProgress, type OnProgress } from '../progress.ts'
import { hashFile } from '../fetch/blob.ts'
import { download, type DownloadLimits } from '../fetch/download.ts'
import { fetchLockPath, type Layout } from './layout.ts'
import { whileLocked, type TryLock } from './store-lock.ts'
import { findBuilt } from '../recipe/receipt.ts'
import { checkSource, parseSource, showUrl } from '../fetch/url-policy.ts'

/** An image as a manifest names it. */
export interface ImageReference {
  /** https; `file:` or loopback http when the store allows local images or has this one. */
  url: string
  /** SHA-256 of the archive as served, 64 hex digits in either case. */
  sha256: string
}

/** A verified archive in the store. */
export interface StoredImage {
  path: string
  /** Lower-case hex. */
  sha256: string
  bytes: number
  /** True when it was in the store and still had its digest. */
  fromCache: boolean
}

/** Options of one fetch. */
export interface FetchOptions {
  /** Overrides the store's setting for this call. */
  allowLocal?: boolean
  signal?: AbortSignal
  onProgress?: OnProgress
}

/** The origin of an archive, stored beside it as `<sha256>.json`. */
export interface ArchiveRecord {
  /** Without user, password, query and fragment. */
  url: string
  /** Unix ms. */
  fetched: number
}

/** Options shared by all archives of one store. */
export interface ArchiveOptions {
  layout: Layout
  limits: DownloadLimits
  tryLock: TryLock
}

/** An image reference that was checked. */
export interface CheckedReference {
  url: URL
  sha256: string
}

/**
 * Checks the form of a reference. Whether its URL may be opened is asked only when it must be.
 *
 * @throws ImageError IMAGE_URL_REFUSED; TypeError for a malformed digest
 */
export function checkReference(reference: ImageReference): CheckedReference {
  const url = parseSource(reference.url)
  if (/^[0-9a-f]{64}$/i.test(reference.sha256)) {
    return { url, sha256: reference.sha256.toLowerCase() }
  }
  const found = JSON.stringify(reference.sha256)
  throw new TypeError(`image sha256 must be 64 hex digits, found ${found}`)
}

/**
 * Fetches an archive; the caller sees to it that nobody removes it meanwhile. What the store has
 * and what was built here is known by its digest: its URL is not opened and needs no permission.
 *
 * @throws ImageError as ImageStore.fetch
 */
export async function fetchArchive(
  options: ArchiveOptions,
  { url, sha256 }: CheckedReference,
  { signal, onProgress, allowLocal }: FetchOptions,
): Promise<StoredImage> {
  const { layout, tryLock } = options
  const limits = { ...options.limits, ...(allowLocal !== undefined && { allowLocal }) }
  const path = join(layout.blobs, sha256)
  const image = { path, sha256 }
  const there = await verifyCached(image, signal, onProgress)
  if (there !== undefined) return { ...image, bytes: there, fromCache: true }
  const onWait = () => reportOther(path, onProgress)
  const lock = fetchLockPath(layout, sha256)
  return whileLocked(tryLock, lock, 'exclusive', { signal, onWait }, async () => {
    const made = await verifyCached(image, signal, onProgress)
    if (made !== undefined) return { ...image, bytes: made, fromCache: true }
    const source = (await findBuilt(layout.recipes, sha256, signal)) ?? checkSource(url, limits)
    const bytes = await download(source, image, limits, signal, onProgress)
    await writeRecord(path, { url: showUrl(source), fetched: Date.now() })
    return { ...image, bytes, fromCache: false }
  })
}

/** Reads the origin of an archive; undefined when it is not known. */
export async function readRecord(path: string): Promise<ArchiveRecord | undefined> {
  return (await readJsonRecord<ArchiveRecord>(`${path}.json`)) as ArchiveRecord | undefined
}

async function writeRecord(path: string, record: ArchiveRecord): Promise<void> {
  await writeFile(`${path}.json`, `${JSON.stringify(record)}\n`, { mode: 0o600 })
}

/** @returns the size of the stored archive, undefined when it is missing or damaged */
async function verifyCached(
  { path, sha256 }: { path: string; sha256: string },
  signal: AbortSignal | undefined,
  onProgress: OnProgress | undefined,
): Promise<number | undefined> {
  let progress: ByteProgress | undefined
  const count = (bytes: number, totalBytes: number) =>
    (progress ??= countProgress('verify', totalBytes, onProgress)).add(bytes)
  const found = await hashFile(path, count, signal)
  progress?.finish()
  if (found?.sha256 !== sha256) return undefined
  await touch(path)
  return found.bytes
}

/** Sets the archive's modification time, which is the time of its last use. */
export async function touch(path: string): Promise<void> {
  const now = new Date()
  await utimes(path, now, now)
}

/** Reports the progress of the process that downloads the same archive. */
async function reportOther(path: string, onProgress: OnProgress | undefined): Promise<void> {
  if (onProgress === undefined) return
  const found = await stat(`${path}.part`).catch(() => undefined) // it may have ended
  const detail = 'another process downloads it'
  onProgress({ phase: 'download', detail, ...(found && { bytes: found.size }) })
}
