/**
 * The 512-byte header block of a tar archive (POSIX.1 ustar, GNU tar): only what the filter needs.
 *
 * @module
 */
import { ImageError } from '../image-error.ts'

/** Headers, and bodies rounded up, come in blocks of this size. */
export const tarBlockBytes = 512

/** The fields of one header. */
export interface TarHeader {
  /** As in the header, with its ustar prefix; a pax or GNU long name may replace it. */
  name: string
  /** The type flag as a character; the old NUL is given as `0`. */
  type: string
  /** Body size in bytes as the header says. */
  size: number
}

const modeField = { at: 100, length: 8 }
const sizeField = { at: 124, length: 12 }
const checksumField = { at: 148, length: 8 }
const setIdBits = 0o6000

/**
 * Reads a header block.
 *
 * @throws ImageError IMAGE_ARCHIVE_INVALID for a wrong checksum or an unreadable number
 */
export function readHeader(block: Buffer): TarHeader {
  if (!hasValidChecksum(block)) {
    throw new ImageError('IMAGE_ARCHIVE_INVALID', 'the image archive is damaged: bad tar header')
  }
  const type = String.fromCharCode(block[156] ?? 0)
  return {
    name: readName(block),
    type: type === '\0' ? '0' : type,
    size: readNumber(block, sizeField),
  }
}

/** The bytes a body of `size` takes up. */
export function padded(size: number): number {
  return Math.ceil(size / tarBlockBytes) * tarBlockBytes
}

/** Takes setuid and setgid out of a header's mode. */
export function dropSetId(block: Buffer): void {
  const mode = readNumber(block, modeField)
  if ((mode & setIdBits) !== 0) writeNumber(block, modeField, mode & 0o1777)
}

/** Declares that no body follows, as is true of links and directories whatever they say. */
export function clearSize(block: Buffer): void {
  if (readNumber(block, sizeField) !== 0) writeNumber(block, sizeField, 0)
}

/** True when the block's checksum is right, summed as unsigned bytes (or, by old tars, signed). */
export function hasValidChecksum(block: Buffer): boolean {
  const stored = Number.parseInt(readText(block, 148, 8).trim(), 8)
  const sum = checksum(block)
  return stored === sum || (stored < sum && stored === sum - 256 * highBytes(block))
}

function readName(block: Buffer): string {
  const name = readText(block, 0, 100)
  // Only POSIX ustar has a prefix; old GNU headers keep other things in its place.
  const prefix = block.toString('latin1', 257, 263) === 'ustar\0' ? readText(block, 345, 155) : ''
  return prefix === '' ? name : `${prefix}/${name}`
}

function readText(block: Buffer, at: number, length: number): string {
  const field = block.subarray(at, at + length)
  const end = field.indexOf(0)
  return field.toString('utf8', 0, end === -1 ? length : end)
}

/** Octal text, or GNU's big-endian binary when the first bit is set. */
function readNumber(block: Buffer, { at, length }: { at: number; length: number }): number {
  const value =
    block[at] === 0x80
      ? readBinary(block.subarray(at + 1, at + length))
      : readOctal(block.toString('latin1', at, at + length))
  if (Number.isSafeInteger(value)) return value
  throw new ImageError('IMAGE_ARCHIVE_INVALID', 'the image archive is damaged: bad tar number')
}

function readOctal(text: string): number {
  const digits = /^ *([0-7]*)[ \0]*$/.exec(text)?.[1]
  if (digits === undefined) return Number.NaN
  return digits === '' ? 0 : Number.parseInt(digits, 8)
}

function readBinary(bytes: Uint8Array): number {
  return bytes.reduce((value, byte) => value * 256 + byte, 0)
}

function writeNumber(block: Buffer, field: { at: number; length: number }, value: number): void {
  block.write(`${value.toString(8).padStart(field.length - 1, '0')}\0`, field.at, 'latin1')
  const sum = checksum(block).toString(8).padStart(6, '0')
  block.write(`${sum}\0 `, checksumField.at, 'latin1')
}

/** The checksum field itself counts as eight spaces. */
function checksum(block: Buffer): number {
  return 8 * 0x20 + sumOf(block) - sumOf(block.subarray(148, 156))
}

function sumOf(bytes: Uint8Array): number {
  let sum = 0
  for (const byte of bytes) sum += byte
  return sum
}

function highBytes(block: Buffer): number {
  const high = (bytes: Uint8Array) => bytes.reduce((count, byte) => count + (byte >> 7), 0)
  return high(block) - high(block.subarray(148, 156))
}
