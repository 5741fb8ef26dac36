/**
 * Opens a job's bundle. A folder is packed into a zip with fixed times and order, so that both
 * forms have a CID and are handled alike.
 * @module
 */
import { isUtf8 } from 'node:buffer'
import { createHash } from 'node:crypto'
import { createReadStream, createWriteStream } from 'node:fs'
import { lstat, readdir, realpath, stat } from 'node:fs/promises'
import { join, relative } from 'node:path'
import type { PassThrough } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { base32nopad } from '@scure/base'
import yazl from 'yazl'
import { StartError } from '../errors/start-error.ts'

const maxFiles = 20_000
const maxBytes = 1024 * 1024 * 1024
// Local time, because zip times have no time zone.
const zipEpoch = new Date(1980, 0, 1)

/** A bundle as one zip file. */
export interface Bundle {
  zipFile: string
  /** CIDv1 (raw, sha2-256) of the zip. */
  cid: string
}

/** CID of a deployment without a bundle. */
export const emptyCid = cidOf(createHash('sha256').digest())

/**
 * Opens the bundle at a path: a zip is used as it is, a folder is packed into `zipFile`.
 * @param exclude files that never go into a bundle: the deployment file and its keys
 * @throws StartError BUNDLE_INVALID naming the entry
 */
export async function openBundle(
  path: string,
  zipFile: string,
  exclude: ReadonlySet<string>,
): Promise<Bundle> {
  const found = await stat(path).catch((cause: Error) => {
    throw new StartError('BUNDLE_INVALID', `bundle ${path}: ${cause.message}`, { cause })
  })
  if (found.isFile()) return { zipFile: path, cid: await cidOfFile(path) }
  const secrets = await Promise.all([...exclude].map(inodesOf))
  await packFolder(await realpath(path), zipFile, new Set(secrets.flat()))
  return { zipFile, cid: await cidOfFile(zipFile) }
}

/** Inodes of a file and of the link that may lead to it: neither may be in a bundle. */
async function inodesOf(file: string): Promise<string[]> {
  const found = await Promise.allSettled([stat(file), lstat(file)])
  return found.flatMap((result) => (result.status === 'fulfilled' ? [inodeOf(result.value)] : []))
}

function inodeOf({ dev, ino }: { dev: number; ino: number }): string {
  return `${dev}:${ino}`
}

async function packFolder(
  folder: string,
  zipFile: string,
  exclude: ReadonlySet<string>,
): Promise<void> {
  const files = await listFiles(folder, exclude)
  const zip = new yazl.ZipFile()
  for (const { path, mode } of files) {
    zip.addFile(path, relative(folder, path), {
      mtime: zipEpoch,
      mode: mode & 0o111 ? 0o100755 : 0o100644,
      forceDosTimestamp: true,
      compress: false,
    })
  }
  // yazl reports files that are unreadable or change meanwhile here, not on the stream.
  zip.on('error', (cause: Error) => {
    const message = `bundle ${folder}: ${cause.message}`
    const output = zip.outputStream as PassThrough
    output.destroy(new StartError('BUNDLE_INVALID', message, { cause }))
  })
  zip.end()
  await pipeline(zip.outputStream, createWriteStream(zipFile, { mode: 0o600 }))
}

interface FileEntry {
  path: string
  mode: number
  size: number
}

async function listFiles(folder: string, exclude: ReadonlySet<string>): Promise<FileEntry[]> {
  const files: FileEntry[] = []
  let bytes = 0
  for await (const file of walk(folder, exclude)) {
    bytes += file.size
    if (files.push(file) > maxFiles) throw refuse(folder, `at most ${maxFiles} files`, 'more')
    if (bytes > maxBytes) throw refuse(folder, `at most ${maxBytes} bytes`, 'more')
  }
  return files.sort((a, b) => (a.path < b.path ? -1 : 1))
}

/** Walks the files below a folder. Links are refused: they may lead anywhere. */
async function* walk(folder: string, exclude: ReadonlySet<string>): AsyncGenerator<FileEntry> {
  for (const rawName of await readdir(folder, { encoding: 'buffer' })) {
    const name = rawName.toString('utf8')
    const path = join(folder, name)
    if (name === '.git') continue
    if (!isUtf8(rawName)) throw refuse(path, 'a name in UTF-8', 'other bytes')
    if (name.includes('\\')) throw refuse(path, 'a name without a backslash', 'one')
    const found = await lstat(path)
    if (exclude.has(inodeOf(found))) continue
    if (found.isDirectory()) yield* walk(path, exclude)
    else if (found.isFile()) yield { path, mode: found.mode, size: found.size }
    else throw refuse(path, 'a plain file', 'a link or special file')
  }
}

function refuse(path: string, expected: string, found: string): StartError {
  return new StartError('BUNDLE_INVALID', `bundle: ${path}: expected ${expected}, found ${found}`)
}

async function cidOfFile(path: string): Promise<string> {
  const hash = createHash('sha256')
  await pipeline(createReadStream(path), hash)
  return cidOf(hash.digest() as Buffer)
}

/** Multibase `b` (base32 lower) of version 1, codec raw 0x55, multihash sha2-256 0x12 of 0x20 bytes. */
function cidOf(digest: Uint8Array): string {
  return `b${base32nopad.encode(Uint8Array.of(0x01, 0x55, 0x12, 0x20, ...digest)).toLowerCase()}`
}
