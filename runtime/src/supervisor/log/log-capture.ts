/**
 * A job's stdout or stderr → its log. A job that prints faster than the disk writes waits in its
 * own pipe.
 * @module
 */
import type { Readable } from 'node:stream'
import { createLineSplitter, type LinePiece } from './log-lines.ts'

export interface CaptureOptions {
  append: (pieces: readonly LinePiece[]) => Promise<void>
  /** Silence after which a line without end is written all the same, such as a prompt. */
  idleMs: number
}

/** Resolves when the stream has ended, or was destroyed, and all of it is written. */
export async function captureStream(
  stream: Readable,
  { append, idleMs }: CaptureOptions,
): Promise<void> {
  const splitter = createLineSplitter()
  let idle: NodeJS.Timeout | undefined
  try {
    for await (const chunk of stream) {
      clearTimeout(idle)
      await append(splitter.push(chunk as Buffer))
      if (splitter.isPending) idle = setTimeout(() => void append(splitter.flush()), idleMs)
    }
  } catch {
    // Destroyed, because nobody waits for the rest of an ended job's output.
  } finally {
    clearTimeout(idle)
  }
  await append(splitter.end())
}
