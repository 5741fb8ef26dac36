/**
 * Writes a job's stdout or stderr to its log. A job that prints faster than the disk writes is
 * slowed down by its own pipe.
 * @module
 */
import type { Readable } from 'node:stream'
import { createLineSplitter, type LinePiece } from './log-lines.ts'

export interface CaptureOptions {
  append: (pieces: readonly LinePiece[]) => Promise<void>
  /** Time without output after which a line without a line end is written, such as a prompt. */
  idleMs: number
}

/** Resolves when the stream has ended or was destroyed, and all of it is written. */
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
    // Destroyed: nobody waits for the remaining output of an ended job.
  } finally {
    clearTimeout(idle)
  }
  await append(splitter.end())
}
