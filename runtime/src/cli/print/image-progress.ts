/** Shows the progress of an image on a terminal, on one line that is overwritten. @module */
import type { WriteStream } from 'node:tty'
import type { OnProgress } from '@causeway/images'
import { printable } from './printable.ts'
import { progressText } from './progress-text.ts'

export interface ShownProgress {
  report: OnProgress
  /** Clears the line. */
  clear: () => void
}

const clearLine = '\r\u001b[K'
const intervalMs = 100
const fallbackColumns = 80

/** Writes nothing when `out` is no terminal: a log needs results only. */
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
