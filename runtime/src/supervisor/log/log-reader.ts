/**
 * Reads a deployment's log from a number on, across its files, and optionally follows it.
 * @module
 */
import type { FileHandle } from 'node:fs/promises'
import type { LogStream } from './log-entry.ts'
import {
  listSegments,
  openSegment,
  readLines,
  type Segment,
  type SegmentLine,
} from './log-segments.ts'
import type { LogEnd } from './log-state.ts'

export interface LogQuery {
  /** Only entries with a higher number. */
  since?: number
  /** Only this many of the last entries. */
  tail?: number
  /** Called when all is read: whether to wait for more. */
  follow?: () => boolean
  /** Only entries of these streams. */
  streams?: ReadonlySet<LogStream>
}

/** The part of a log that a reader uses. */
export interface ReadableLog {
  folder: string
  /** End of the written part. */
  readonly end: LogEnd
  /** Resolves to true when there may be higher numbers, to false when there will be none. */
  waitFor(above: number, signal: AbortSignal): Promise<boolean>
}

const noMore = () => false

/** Yields batches of lines as they are on disk; ends with the log or by the signal. */
export async function* readLog(
  log: ReadableLog,
  query: LogQuery,
  signal: AbortSignal,
): AsyncGenerator<string[]> {
  const last = query.follow ? Infinity : log.end.seq
  const after = Math.max(query.since ?? 0, await beforeTail(log, query))
  const isWanted = ({ entry }: SegmentLine) =>
    entry !== undefined && entry.seq > after && entry.seq <= last && isOf(query, entry.stream)
  for await (const lines of readAll(log, after, query.follow ?? noMore, signal)) {
    const wanted = lines.filter(isWanted).map(({ line }) => line)
    if (wanted.length > 0) yield wanted
  }
}

function isOf({ streams }: LogQuery, stream: LogStream): boolean {
  return streams === undefined || streams.has(stream)
}

/** The lines of the file that contains a number, and of later files. */
async function* readAll(
  log: ReadableLog,
  after: number,
  follow: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<SegmentLine[]> {
  const segments = await listSegments(log.folder)
  let segment = segments.findLast(({ first }) => first <= after + 1) ?? segments[0]
  while (segment && !signal.aborted) {
    // A file that was rotated away meanwhile leaves a gap.
    await using file = await openSegment(segment.path)
    if (file) yield* readOne(log, segment, file, follow, signal)
    segment = await segmentAfter(log, segment)
  }
}

async function* readOne(
  log: ReadableLog,
  segment: Segment,
  file: FileHandle,
  follow: () => boolean,
  signal: AbortSignal,
): AsyncGenerator<SegmentLine[]> {
  for (let offset = 0; ;) {
    const { end } = log
    const limit = end.segment === segment.first ? end.size : Infinity
    for await (const { lines, end: read } of readLines(file, offset, limit)) {
      offset = read
      yield lines
    }
    // The file was already complete when its lines were read: a later one is being written.
    if (end.segment !== segment.first) return
    if (end !== log.end) continue
    if (!follow() || !(await log.waitFor(end.seq, signal))) return
  }
}

async function segmentAfter(log: ReadableLog, { first }: Segment): Promise<Segment | undefined> {
  return (await listSegments(log.folder)).find((segment) => segment.first > first)
}

/** The number before the last `tail` matching entries; reads from the newest file back. */
async function beforeTail(log: ReadableLog, query: LogQuery): Promise<number> {
  const { tail } = query
  if (tail === undefined) return 0
  if (tail === 0) return log.end.seq
  let numbers: number[] = []
  for (const segment of (await listSegments(log.folder)).toReversed()) {
    numbers = [...(await numbersIn(log, segment, query)), ...numbers].slice(-tail)
    if (numbers.length === tail) break
  }
  return (numbers[0] ?? 1) - 1
}

async function numbersIn(log: ReadableLog, segment: Segment, query: LogQuery): Promise<number[]> {
  const numbers: number[] = []
  await using file = await openSegment(segment.path)
  const whole = new AbortController().signal
  if (!file) return []
  for await (const lines of readOne(log, segment, file, noMore, whole)) {
    for (const { entry } of lines) if (entry && isOf(query, entry.stream)) numbers.push(entry.seq)
  }
  return numbers
}
