/**
 * The files of a bundle as a job gets them: small bundles are read once, while other things wait.
 * @module
 */
import { posix } from 'node:path'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { readBundle } from './bundle-entries.ts'

/** One file. */
export interface BundleFile {
  /** Relative, with `/`; checked. */
  path: string
  executable: boolean
  /** The content; must be read to its end before the next file. */
  open: () => Promise<Readable | Buffer>
}

export interface BundleFiles {
  /** In the order of the zip. */
  all(): AsyncIterable<BundleFile>
  /** The first bytes of a file; undefined when there is none of that name. */
  startOf(path: string): Promise<Buffer | undefined>
}

const maxKeptBytes = 4 * 1024 * 1024
const maxKeptFiles = 200

/** @throws StartError BUNDLE_INVALID */
export async function openBundleFiles(zipFile: string): Promise<BundleFiles> {
  const kept = await readSmall(zipFile)
  return kept ? fromMemory(kept) : fromZip(zipFile)
}

type Kept = BundleFile & { content: Buffer }

/** All files with their content; undefined for a bundle that is too large to keep. */
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

/** The rest is not read. */
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
