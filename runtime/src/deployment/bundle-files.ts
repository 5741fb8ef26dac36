/**
 * Provides a bundle's files for the job's root. A small bundle is read while other steps wait.
 * @module
 */
import { posix } from 'node:path'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import type { GuestFile } from '../sandbox/root/guest-files.ts'
import { readBundle } from './bundle-entries.ts'

export interface BundleFiles {
  /** In the order of the zip. */
  all(): AsyncIterable<GuestFile>
  /** The first bytes of a file; undefined when the bundle has no such file. */
  startOf(path: string): Promise<Buffer | undefined>
}

const maxKeptBytes = 4 * 1024 * 1024
const maxKeptFiles = 200

/** @throws StartError BUNDLE_INVALID */
export async function openBundleFiles(zipFile: string): Promise<BundleFiles> {
  const kept = await readSmall(zipFile)
  return kept ? fromMemory(kept) : fromZip(zipFile)
}

type Kept = GuestFile & { content: Buffer }

/** All files with their content; undefined for a bundle over the limits. */
async function readSmall(zipFile: string): Promise<Kept[] | undefined> {
  const kept: Kept[] = []
  let bytes = 0
  for await (const { path, executable, bytes: size, open } of readBundle(zipFile)) {
    bytes += size
    if (bytes > maxKeptBytes || kept.length === maxKeptFiles) return undefined
    const content = await buffer(await open())
    kept.push({ path, executable, content, open: () => Promise.resolve(content) })
  }
  return kept
}

function fromMemory(kept: readonly Kept[]): BundleFiles {
  const wanted = (path: string) => kept.find((file) => file.path === posix.normalize(path))
  return {
    all: async function* () {
      yield* kept
    },
    startOf: (path) => Promise.resolve(wanted(path)?.content),
  }
}

function fromZip(zipFile: string): BundleFiles {
  return {
    all: () => readBundle(zipFile),
    async startOf(path) {
      for await (const entry of readBundle(zipFile)) {
        if (entry.path === posix.normalize(path)) return firstBytes(await entry.open())
      }
      return undefined
    },
  }
}

const startBytes = 64

/** Reads no more than the first chunks. */
async function firstBytes(stream: Readable): Promise<Buffer> {
  const chunks: Buffer[] = []
  let size = 0
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    chunks.push(chunk)
    size += chunk.length
    if (size >= startBytes) break
  }
  return Buffer.concat(chunks)
}
