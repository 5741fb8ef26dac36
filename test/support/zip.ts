/**
 * Writes zips that no honest tool writes.
 * @module
 */
import { crc32, deflateRawSync } from 'node:zlib'

/** One entry; omitted fields are as an honest tool writes them. */
export interface ZipEntrySpec {
  name: string | Buffer
  content?: string | Buffer
  /** Unix mode with the file type; default a regular file, 0644. */
  mode?: number
  /** General purpose flags; 1 = encrypted, 0x800 = UTF-8 names. */
  flags?: number
  deflate?: boolean
  /** Sizes and checksum to claim instead of the real ones. */
  claimedSize?: number
  claimedCompressedSize?: number
  claimedCrc?: number
  method?: number
}

const utf8Names = 0x800

export function zipOf(entries: readonly ZipEntrySpec[]): Buffer {
  const locals: Buffer[] = []
  const centrals: Buffer[] = []
  let offset = 0
  for (const entry of entries) {
    const { local, central } = headers(entry, offset)
    locals.push(local)
    centrals.push(central)
    offset += local.length
  }
  const directory = Buffer.concat(centrals)
  return Buffer.concat([...locals, directory, endRecord(entries.length, directory.length, offset)])
}

function headers(entry: ZipEntrySpec, offset: number) {
  const name = Buffer.from(entry.name)
  const content = Buffer.from(entry.content ?? '')
  const body = entry.deflate ? deflateRawSync(content) : content
  const common = Buffer.alloc(26)
  common.writeUInt16LE(20, 0)
  common.writeUInt16LE(entry.flags ?? utf8Names, 2)
  common.writeUInt16LE(entry.method ?? (entry.deflate ? 8 : 0), 4)
  common.writeUInt16LE(0x21, 8)
  common.writeUInt32LE(entry.claimedCrc ?? crc32(content), 10)
  common.writeUInt32LE(entry.claimedCompressedSize ?? body.length, 14)
  common.writeUInt32LE(entry.claimedSize ?? content.length, 18)
  common.writeUInt16LE(name.length, 22)
  const attributes = Buffer.alloc(14)
  attributes.writeUInt32LE(((entry.mode ?? 0o100644) << 16) >>> 0, 6)
  attributes.writeUInt32LE(offset, 10)
  const madeByUnix = Buffer.from([20, 3])
  return {
    local: Buffer.concat([Buffer.from('PK\x03\x04'), common, name, body]),
    central: Buffer.concat([Buffer.from('PK\x01\x02'), madeByUnix, common, attributes, name]),
  }
}

function endRecord(count: number, size: number, offset: number): Buffer {
  const end = Buffer.alloc(22)
  end.write('PK\x05\x06')
  end.writeUInt16LE(count, 8)
  end.writeUInt16LE(count, 10)
  end.writeUInt32LE(size, 12)
  end.writeUInt32LE(offset, 16)
  return end
}
