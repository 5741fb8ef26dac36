/**
 * Progress of an image on a terminal: one line that is written over.
 * @module
 */
import type { WriteStream } from 'node:tty'
import type { OnProgress } from '@causeway/images'
import { printable } from './printable.ts'
import { progressText } from './progress-text.ts'

export interface ShownProgress {
  report: OnProgress
  /** Takes the line away. */
  clear: () => void
}

const clearLine = '\r\u001b[K'
const intervalMs = 100
const fallbackColumns = 80

/** Nothing is written where there is no terminal: logs want results. */
export function showProgress(
  out: Pick<WriteStream, 'write'> & Partial<WriteStream>,
): ShownProgress {
  if (out.isTTY !== true) return { report: () => {}, clear: () => {} }
  let writtenAt = 0
  let phase = ''
  return {
    report(progress) {
      if (progress.phase === phase && Date.now() - writtenAt < intervalMs) return
      writtenAt = Date.now()
      phase = progress.phase
      const text = printable(progressText(progress)).slice(0, (out.columns ?? fallbackColumns) - 1)
      out.write(`${clearLine}${text}`)
    },
    clear() {
      if (writtenAt > 0) out.write(clearLine)
    },
  }
}
