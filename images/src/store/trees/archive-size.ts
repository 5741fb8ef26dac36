/**
 * Reads how large an archive becomes from the archive itself. An archive may lie: this only avoids
 * work that must fail; the unpacker counts the bytes it writes.
 *
 * @module
 */
import { open, type FileHandle } from 'node:fs/promises'

const xzMagic = Buffer.from('fd377a585a00', 'hex')
const gzipMagic = Buffer.from('1f8b', 'hex')
const xzFooterBytes = 12
const maxIndexBytes = 1 << 20

/** Uncompressed bytes; where the archive does not say, its own size. */
export async function announcedSize(path: string): Promise<number> {
  await using file = await open(path, 'r')
  const { size } = await file.stat()
  const head = await readAt(file, 0, xzMagic.length)
  if (head.equals(xzMagic)) return Math.max(size, await xzSize(file, size))
  if (head.subarray(0, 2).equals(gzipMagic)) return Math.max(size, await gzipSize(file, size))
  return size
}

/** The last four bytes of a gzip file (RFC 1952): its size modulo 4 GiB. */
async function gzipSize(file: FileHandle, size: number): Promise<number> {
  const tail = await readAt(file, size - 4, 4)
  return tail.length === 4 ? tail.readUInt32LE() : 0
}

/** Sum over the last stream's index (.xz file format 1.1.0, sections 2.1.2 and 4). */
async function xzSize(file: FileHandle, size: number): Promise<number> {
  const footer = await readAt(file, size - xzFooterBytes, xzFooterBytes)
  if (footer.toString('latin1', 10) !== 'YZ') return 0
  const indexBytes = (footer.readUInt32LE(4) + 1) * 4
  if (indexBytes > maxIndexBytes) return 0
  return sumIndex(await readAt(file, size - xzFooterBytes - indexBytes, indexBytes))
}

function sumIndex(index: Buffer): number {
  let position = 1 // a zero byte marks an index, not a block
  const next = () => {
    let value = 0
    for (let scale = 1; position < index.length; scale *= 128) {
      const byte = index[position++] ?? 0
      value += (byte & 127) * scale
      if (byte < 128) break
    }
    return value
  }
  let sum = 0
  for (let left = next(); left > 0 && position < index.length; left--) {
    next() // skips the compressed size
    sum += next()
  }
  return Number.isFinite(sum) ? sum : 0
}

async function readAt(file: FileHandle, position: number, length: number): Promise<Buffer> {
  if (position < 0) return Buffer.alloc(0)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(length), 0, length, position)
  return buffer.subarray(0, bytesRead)
}
