/**
 * The files of a log as its writer has them: one that is written, and the ones before it.
 * @module
 */
import { mkdir, open, rm, truncate, type FileHandle } from 'node:fs/promises'
import { findEnd, listSegments, segmentPath, type Segment } from './log-segments.ts'

export interface LogLimits {
  /** Of one file. */
  maxBytes: number
  /** Files kept, the one being written among them; the oldest goes. */
  maxFiles: number
}

/** Where a log is, and how large it may be. */
export interface LogPlace extends LogLimits {
  folder: string
}

/** Up to where a log may be read: what is behind it could still be taken back. */
export interface LogEnd {
  /** Number of the last entry. */
  seq: number
  /** Number of the first entry in the file being written. */
  segment: number
  /** Bytes of that file. */
  size: number
}

/** The file being written, and the ones before it. */
export interface LogState {
  segments: Segment[]
  file: FileHandle
  size: number
  /** Number of the last entry. */
  seq: number
  /** Entries that the disk has not taken since it last took one. */
  lost: number
}

/** Where a log ended; half a line at its end is cut off. */
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

/** Up to where readers may read. */
export function endOf({ seq, segments, size }: LogState): LogEnd {
  return { seq, segment: segments.at(-1)?.first ?? 0, size }
}

/** All or nothing: half an entry must not stand before the next one. */
export async function writeWhole(state: LogState, content: Buffer): Promise<void> {
  try {
    await state.file.appendFile(content)
    state.size += content.length
  } catch (error) {
    await state.file.truncate(state.size)
    throw error
  }
}

/** Goes on in a new file. */
export async function rotate(
  state: LogState,
  { folder, maxFiles }: LogPlace,
  first: number,
): Promise<void> {
  // The oldest first: on a full disk it makes the room for the next.
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
