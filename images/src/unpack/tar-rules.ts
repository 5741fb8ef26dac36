/**
 * What an entry of an archive may say; everything here refuses, in words that name the entry.
 *
 * @module
 */
import { ImageError } from '../image-error.ts'
import { clearSize, padded, type TarHeader } from './tar-header.ts'

const maxDepth = 256
const maxNameBytes = 4096

/**
 * Bytes that follow a header, whose size a pax record may override; rewrites the header where its
 * own size would mislead the extractor. `names` are all the entry was given.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID
 */
export function bodyBytes(
  block: Buffer,
  header: TarHeader,
  paxSize: number | undefined,
  names: readonly string[],
): number {
  const { type } = header
  const name = names[0] ?? ''
  if (type === '1' || type === '2' || type === '5') {
    if ((paxSize ?? 0) > 0) throw invalid(`image entry ${shown(name)} is no file but has a size`)
    clearSize(block)
    return 0
  }
  if (type === 'S') throw refuseSparse()
  if (type !== '0' && type !== '7') {
    throw invalid(`image entry ${shown(name)} has unknown type ${shown(type)}`)
  }
  const size = paxSize ?? header.size
  // Old tars write directories as files named with a slash; GNU tar then expects no body.
  if (size > 0 && names.some((candidate) => /(^|\/)$/.test(candidate))) {
    throw invalid(`image entry ${shown(name)} is named like a folder but has content`)
  }
  return padded(size)
}

/** Refuses a name that leads out of the root or is too long or deep for it. */
export function checkName(name: string): void {
  const parts = name.split('/')
  if (parts.includes('..')) throw invalid(`image entry ${shown(name)} leads out of the image`)
  if (parts.length > maxDepth || Buffer.byteLength(name) > maxNameBytes) {
    throw invalid(`image entry ${shown(name)} is nested too deep or its name is too long`)
  }
}

/** Global records are dropped; those that would change how entries are read are refused. */
export function refuseGlobals(records: ReadonlyMap<string, string>): void {
  for (const key of records.keys()) {
    if (!/^(size|path|linkpath|GNU\..*)$/.test(key)) continue
    throw invalid(`the image archive sets ${key} for all entries, which is not supported`)
  }
}

/** GNU tar would make a file of any size from a few bytes. */
export function refuseSparse(): ImageError {
  return invalid('the image archive has sparse files, which are not supported: pack without them')
}

/** The error for an archive that breaks a rule. */
export function invalid(message: string): ImageError {
  return new ImageError('IMAGE_ARCHIVE_INVALID', message)
}

/** A name as it may stand in a message: short, without control characters. */
function shown(name: string): string {
  return JSON.stringify(name.length > 80 ? `${name.slice(0, 80)}…` : name)
}
