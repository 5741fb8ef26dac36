/** Reads a bundle's zip. Its bytes come from the deployer and may be hostile. @module */
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { crc32 } from 'node:zlib'
import yauzl, { type Entry, type ZipFile } from 'yauzl'
import { StartError } from '../errors/start-error.ts'
import { createNameCheck, type TakeName } from './entry-names.ts'

const maxEntries = 20_000
const maxBytes = 1024 * 1024 * 1024
const fileTypeMask = 0o170000
const regularFile = 0o100000
// `readBundle` closes the file. Strict names refuse backslashes, which some tools write.
const zipOptions = { autoClose: false, strictFileNames: true }

/** One file of a bundle. */
export interface BundleEntry {
  /** Relative to the bundle's root, with `/`; never `..`, absolute or with a backslash. */
  path: string
  /** Whether the zip marks it executable; many tools omit the mark. */
  executable: boolean
  /** Size of the content as declared in the zip; reading checks it. */
  bytes: number
  /** Opens the content; only before the iterator moves on to the next entry. */
  open: () => Promise<Readable>
}

/**
 * Iterates over the files of a zip in the zip's order.
 * @throws StartError BUNDLE_INVALID for a broken zip, a hostile name, a link, an encrypted entry, a
 *   repeated name, or a bundle over the limits
 */
export async function* readBundle(zipFile: string): AsyncGenerator<BundleEntry> {
  const zip = await yauzl.openPromise(zipFile, zipOptions).catch((error: Error) => {
    throw bad(error.message, error)
  })
  try {
    if (zip.entryCount > maxEntries) {
      throw bad(`expected at most ${maxEntries} entries, found ${zip.entryCount}`)
    }
    yield* readEntries(zip)
  } catch (error) {
    throw error instanceof StartError ? error : bad((error as Error).message, error)
  } finally {
    zip.close()
  }
}

/** Result of reading a whole bundle once. */
export interface BundleSurvey {
  /** Paths of its files. */
  names: ReadonlySet<string>
  /** Content of the wanted file, if the bundle has it. */
  wanted?: Buffer
}

/**
 * Reads a whole bundle once, so that faults in its entries are found before anything is fetched.
 * @param wantedPath the file whose content is returned, at most `maxWantedBytes`
 * @throws StartError BUNDLE_INVALID
 */
export async function surveyBundle(
  zipFile: string,
  wantedPath: string,
  maxWantedBytes: number,
): Promise<BundleSurvey> {
  const names = new Set<string>()
  let wanted: Buffer | undefined
  for await (const entry of readBundle(zipFile)) {
    names.add(entry.path)
    if (entry.path !== wantedPath) continue
    if (entry.bytes > maxWantedBytes) {
      throw bad(`${wantedPath}: expected at most ${maxWantedBytes} bytes, found ${entry.bytes}`)
    }
    wanted = await buffer(await entry.open())
  }
  return { names, ...(wanted && { wanted }) }
}

async function* readEntries(zip: ZipFile): AsyncGenerator<BundleEntry> {
  const takeName = createNameCheck()
  let bytes = 0
  for await (const entry of zip.eachEntry()) {
    if (entry.fileName.endsWith('/')) continue
    const path = checkEntry(entry, takeName)
    bytes += entry.uncompressedSize
    if (bytes > maxBytes) throw bad(`expected at most ${maxBytes} bytes unpacked, found more`)
    yield {
      path,
      executable: (unixMode(entry) & 0o111) !== 0,
      bytes: entry.uncompressedSize,
      open: () => openEntry(zip, entry),
    }
  }
}

async function openEntry(zip: ZipFile, entry: Entry): Promise<Readable> {
  try {
    const source = await zip.openReadStreamPromise(entry)
    return Readable.from(checked(source, entry), { objectMode: false })
  } catch (error) {
    throw badEntry(entry, error)
  }
}

/** Yields the chunks of an entry and checks its checksum, which yauzl leaves to its callers. */
async function* checked(source: Readable, entry: Entry): AsyncGenerator<Buffer> {
  let sum = 0
  try {
    for await (const chunk of source as AsyncIterable<Buffer>) {
      sum = crc32(chunk, sum)
      yield chunk
    }
  } catch (error) {
    throw badEntry(entry, error)
  }
  if (sum !== entry.crc32 >>> 0) throw badEntry(entry, new Error('wrong checksum'))
}

function checkEntry(entry: Entry, takeName: TakeName): string {
  const type = unixMode(entry) & fileTypeMask
  if (type !== 0 && type !== regularFile) {
    throw badEntry(entry, new Error('expected a plain file, found a link or special file'))
  }
  if (entry.isEncrypted()) throw badEntry(entry, new Error('the entry is encrypted'))
  try {
    return takeName(entry.fileName)
  } catch (error) {
    throw badEntry(entry, error)
  }
}

// A hostile name may have up to 64 KiB.
const maxShownName = 120

function badEntry({ fileName }: Entry, cause: unknown): StartError {
  return bad(
    `${JSON.stringify(fileName.slice(0, maxShownName))}: ${(cause as Error).message}`,
    cause,
  )
}

function unixMode(entry: Entry): number {
  return entry.externalFileAttributes >>> 16
}

function bad(what: string, cause?: unknown): StartError {
  return new StartError('BUNDLE_INVALID', `bundle: ${what}`, { cause })
}
