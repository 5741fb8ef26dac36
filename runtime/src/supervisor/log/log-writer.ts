/**
 * Appends to a deployment's log, in files that are rotated at a size. What it says is written is
 * in the kernel: no death of this process takes it away.
 * @module
 */
import type { Logger } from '@causeway/service/log'
import { formatEntries, type LogSource } from './log-entry.ts'
import type { LinePiece } from './log-lines.ts'
import {
  endOf,
  openLogState,
  rotate,
  writeWhole,
  type LogEnd,
  type LogPlace,
  type LogState,
} from './log-state.ts'

export interface LogWriterOptions extends LogPlace {
  log: Logger
  /** Called when there is more for readers. */
  onWritten: (end: LogEnd) => void
}

export interface LogWriter {
  /**
   * Adds entries behind those of earlier calls. Resolves when readers can see them, or when the
   * disk did not take them; their numbers are a gap then.
   */
  append(source: LogSource, pieces: readonly LinePiece[]): Promise<void>
  close(): Promise<void>
}

// Entries of one write: formatting more would keep the whole host waiting.
const batchEntries = 1000

/** Opens the log of a folder where it ended; half a line at its end is cut off. */
export async function openLogWriter(options: LogWriterOptions): Promise<LogWriter> {
  const state = await openLogState(options.folder)
  options.onWritten(endOf(state))
  let queue = Promise.resolve()
  const append = (source: LogSource, pieces: readonly LinePiece[]) => {
    queue = queue.then(() => appendInBatches(state, options, source, pieces))
    return queue
  }
  const close = () => queue.then(() => state.file.close())
  return { append, close }
}

async function appendInBatches(
  state: LogState,
  options: LogWriterOptions,
  source: LogSource,
  pieces: readonly LinePiece[],
): Promise<void> {
  for (let index = 0; index < pieces.length; index += batchEntries) {
    await writeBatch(state, options, source, pieces.slice(index, index + batchEntries))
  }
}

async function writeBatch(
  state: LogState,
  options: LogWriterOptions,
  source: LogSource,
  pieces: readonly LinePiece[],
): Promise<void> {
  const now = new Date()
  const first = state.seq + 1
  // The first that the disk takes again says what it did not take.
  const notice = lossNotice(state)
  const head = formatEntries(notice, first, hostSource, now)
  const content = Buffer.from(head + formatEntries(pieces, first + notice.length, source, now))
  try {
    if (state.size > 0 && state.size + content.length > options.maxBytes)
      await rotate(state, options, first)
    await writeWhole(state, content)
    Object.assign(state, { seq: state.seq + notice.length + pieces.length, lost: 0 })
    options.onWritten(endOf(state))
  } catch (error) {
    noteLoss(state, options, pieces.length, error)
  }
}

const hostSource = { execution: 0, attempt: 0, stream: 'host' } as const

function lossNotice({ lost }: LogState): LinePiece[] {
  if (lost === 0) return []
  const text = `${lost} lines were lost: the disk did not take them`
  return [{ bytes: Buffer.from(text), partial: false }]
}

function noteLoss(
  state: LogState,
  { folder, log }: LogWriterOptions,
  entries: number,
  error: unknown,
): void {
  if (state.lost === 0) {
    log.error(
      { err: error, folder },
      'log: the disk does not take it; lines are lost until it does',
    )
  }
  state.lost += entries
  // Their numbers are a gap, so that nobody takes the log for whole.
  state.seq += entries
}
