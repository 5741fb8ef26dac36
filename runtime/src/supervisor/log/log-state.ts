/** State of a log's writer: the file that it writes, and the files before it. @module */
import { mkdir, open, rm, truncate, type FileHandle } from 'node:fs/promises'
import { orUndo } from '@causeway/service/failure'
import { findEnd, listSegments, segmentPath, type Segment } from './log-segments.ts'

export interface LogLimits {
  /** Size limit of one file. */
  maxBytes: number
  /** Most files, with the one being written; the oldest is removed. */
  maxFiles: number
}

/** Folder of a log, and its limits. */
export interface LogPlace extends LogLimits {
  folder: string
}

/** The end of the readable part of a log: bytes after it may still be truncated. */
export interface LogEnd {
  /** Number of the last entry. */
  seq: number
  /** Number of the first entry in the current file. */
  segment: number
  /** Bytes of that file. */
  size: number
}

/** The files of a log, and the one being written. */
export interface LogState {
  segments: Segment[]
  file: FileHandle
  size: number
  /** Number of the last entry. */
  seq: number
  /** Entries lost since the last successful write. */
  lost: number
}

/** Opens a log where it ended; cuts off half a line at its end. */
export async function openLogState(folder: string): Promise<LogState> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const segments = await listSegments(folder)
  const last = segments.at(-1)
  if (!last) return { ...(await startSegment(folder, 1)), seq: 0, lost: 0 }
  const { seq = last.first - 1, size } = await findEnd(last.path)
  await truncate(last.path, size)
  return { segments, file: await open(last.path, 'a'), size, seq, lost: 0 }
}

async function startSegment(folder: string, first: number) {
  const path = segmentPath(folder, first)
  return { segments: [{ first, path }], file: await open(path, 'a', 0o600), size: 0 }
}

/** End of the readable part. */
export function endOf({ seq, segments, size }: LogState): LogEnd {
  return { seq, segment: segments.at(-1)?.first ?? 0, size }
}

/** Writes all or nothing: half an entry must not precede the next one. */
export async function writeWhole(state: LogState, content: Buffer): Promise<void> {
  await orUndo(
    () => state.file.appendFile(content),
    () => state.file.truncate(state.size),
  )
  state.size += content.length
}

/** Starts a new file, and removes files over the limit. */
export async function rotate(
  state: LogState,
  { folder, maxFiles }: LogPlace,
  first: number,
): Promise<void> {
  // Oldest first: on a full disk this frees the space for the new file.
  while (state.segments.length >= maxFiles && state.segments.length > 1) {
    const [oldest] = state.segments
    if (oldest) await rm(oldest.path, { force: true })
    state.segments.shift()
  }
  const { segments, file, size } = await startSegment(folder, first)
  await state.file.close()
  Object.assign(state, { file, size, segments: [...state.segments, ...segments] })
  if (maxFiles === 1) await rm(state.segments.shift()?.path ?? '', { force: true })
}
