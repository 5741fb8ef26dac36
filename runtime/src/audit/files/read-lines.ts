/** Reads the lines of an open log file. @module */
import { readSync } from 'node:fs'
import { maxLineBytes } from '../line.ts'

export interface RawLine {
  /** Without the newline; valid until the next line is read. */
  bytes: Buffer
  /** Whether the line ends in a newline; only the last one may not. */
  isWhole: boolean
}

const newline = 0x0a
const chunkBytes = 1024 * 1024

/** Reads to the file's end; a line over the limit ends it, and is yielded as not whole. */
export function* readLines(fd: number): Generator<RawLine> {
  let rest: Buffer = Buffer.alloc(0)
  for (let position = 0; rest.length <= maxLineBytes;) {
    const chunk = Buffer.alloc(chunkBytes)
    const length = readSync(fd, chunk, 0, chunkBytes, position)
    if (length === 0) break
    position += length
    const bytes = Buffer.concat([rest, chunk.subarray(0, length)])
    const end = bytes.lastIndexOf(newline) + 1
    yield* wholeLines(bytes.subarray(0, end))
    rest = bytes.subarray(end)
  }
  if (rest.length > 0) yield { bytes: rest, isWhole: false }
}

function* wholeLines(bytes: Buffer): Generator<RawLine> {
  for (let at = 0; at < bytes.length;) {
    const end = bytes.indexOf(newline, at)
    yield { bytes: bytes.subarray(at, end), isWhole: true }
    at = end + 1
  }
}
