/**
 * Reads the files of a deployment's log. A file is named after the number of its first entry, so
 * that a reader finds a number without opening all files.
 * @module
 */
import { open, readdir, type FileHandle } from 'node:fs/promises'
import { join } from 'node:path'
import { noneOn } from '@causeway/service/failure'
import { parseEntry, type LogEntry } from './log-entry.ts'

const namePattern = /^(\d{16})\.jsonl$/
// Longer than any entry: a line of 16 KiB with every byte escaped.
const windowBytes = 256 * 1024
const lineEnd = 0x0a

export interface Segment {
  /** Number of its first entry. */
  first: number
  path: string
}

export function segmentPath(folder: string, first: number): string {
  return join(folder, `${String(first).padStart(16, '0')}.jsonl`)
}

/** Oldest first; empty when the log was removed. */
export async function listSegments(folder: string): Promise<Segment[]> {
  const names = (await readdir(folder).catch(noneOn('ENOENT'))) ?? []
  const firsts = names.flatMap((name) => namePattern.exec(name)?.[1] ?? [])
  return firsts.sort().map((digits) => ({
    first: Number(digits),
    path: segmentPath(folder, Number(digits)),
  }))
}

/** Opens a file for reading; undefined when it has been rotated away. */
export async function openSegment(path: string): Promise<FileHandle | undefined> {
  return open(path).catch(noneOn('ENOENT'))
}

/** A whole line, and its entry if it is valid. */
export interface SegmentLine {
  line: string
  entry: LogEntry | undefined
}

/** Yields the whole lines between two offsets in batches; `end` is the offset of the next line. */
export async function* readLines(
  file: FileHandle,
  from: number,
  to: number,
): AsyncGenerator<{ lines: SegmentLine[]; end: number }> {
  for (let position = from; position < to;) {
    const length = Math.min(windowBytes, to - position)
    const { buffer, bytesRead } = await file.read(Buffer.allocUnsafe(length), 0, length, position)
    const bytes = buffer.subarray(0, bytesRead)
    const whole = wholeLines(bytes)
    if (whole === 0) return
    position += whole
    yield { lines: parseLines(bytes.subarray(0, whole)), end: position }
  }
}

/** End of the last whole line; a full window without a line end is skipped as damaged. */
function wholeLines(bytes: Buffer): number {
  const whole = bytes.lastIndexOf(lineEnd) + 1
  return whole === 0 && bytes.length === windowBytes ? windowBytes : whole
}

function parseLines(bytes: Buffer): SegmentLine[] {
  const lines = bytes.toString('utf8').split('\n')
  return lines.slice(0, -1).map((line) => ({ line, entry: parseEntry(line) }))
}

/** The end of a file, after a kill or a power failure. */
export interface SegmentEnd {
  /** Number of the last entry; undefined without entries. */
  seq: number | undefined
  /** Bytes up to the end of the last whole line. */
  size: number
}

/** Reads only the end of the file, however long it is. */
export async function findEnd(path: string): Promise<SegmentEnd> {
  await using file = await open(path)
  const { size } = await file.stat()
  const start = Math.max(0, size - windowBytes)
  const { buffer, bytesRead } = await file.read(Buffer.alloc(windowBytes), 0, windowBytes, start)
  const whole = buffer.subarray(0, bytesRead).lastIndexOf(lineEnd) + 1
  const last = parseLines(buffer.subarray(0, whole)).findLast(({ entry }) => entry)
  return { seq: last?.entry?.seq, size: start + whole }
}
