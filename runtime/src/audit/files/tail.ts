/** Reads the last lines of a log file without the rest of it. @module */
import { fstatSync, readSync } from 'node:fs'
import { maxLineBytes, parseLine, type AuditLine } from '../line.ts'
import { withPlain } from './plain-file.ts'

export interface Tail {
  /** Whole lines in order; undefined for an invalid line. */
  lines: (AuditLine | undefined)[]
  /** Bytes after the last newline. */
  tornBytes: number
  /** Whether `lines` begins with the file's first line. */
  isWhole: boolean
  /** Bytes of whole lines in the file. */
  wholeBytes: number
}

const firstWindow = 16 * 1024
const newline = 0x0a

/**
 * The file's last lines back to number `wantedSeq`, as far as they are within its last 4 MiB.
 * @returns undefined when there is no such file
 */
export function readTail(file: string, wantedSeq: number): Tail | undefined {
  return withPlain(file, (fd) => {
    const { size } = fstatSync(fd)
    for (let window = firstWindow; ; window *= 4) {
      const tail = tailOf(readEnd(fd, size, window), size)
      const reachesBack = (tail.lines[0]?.seq ?? Infinity) <= wantedSeq
      if (reachesBack || tail.isWhole || window >= maxLineBytes) return tail
    }
  })
}

function readEnd(fd: number, size: number, window: number): Buffer {
  const bytes = Buffer.alloc(Math.min(size, window))
  const length = readSync(fd, bytes, 0, bytes.length, size - bytes.length)
  return bytes.subarray(0, length)
}

function tailOf(bytes: Buffer, size: number): Tail {
  const isWhole = bytes.length === size
  const end = bytes.lastIndexOf(newline) + 1
  // A window may begin in the middle of a line, which is skipped.
  const start = isWhole ? 0 : bytes.indexOf(newline) + 1
  const tornBytes = bytes.length - end
  return { lines: linesOf(bytes, start, end), tornBytes, isWhole, wholeBytes: size - tornBytes }
}

function linesOf(bytes: Buffer, start: number, end: number): Tail['lines'] {
  const lines: Tail['lines'] = []
  for (let at = start; at < end;) {
    const lineEnd = bytes.indexOf(newline, at)
    lines.push(parseLine(bytes.subarray(at, lineEnd)))
    at = lineEnd + 1
  }
  return lines
}
