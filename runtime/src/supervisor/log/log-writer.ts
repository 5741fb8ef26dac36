/**
 * Appends to a deployment's log, and rotates its files by size. Written entries are in the kernel
 * and survive the death of this process.
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
  /** Called when there are new entries for readers. */
  onWritten: (end: LogEnd) => void
}

export interface LogWriter {
  /**
   * Appends entries after those of earlier calls. Resolves when readers can see them, or when the
   * write failed; then their numbers stay unused.
   */
  append(source: LogSource, pieces: readonly LinePiece[]): Promise<void>
  close(): Promise<void>
}

// Entries per write: formatting more at once would block the whole host.
const batchEntries = 1000

/** Opens the log of a folder where it ended; cuts off half a line at its end. */
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
  // The first successful write after a loss reports the loss.
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
  const text = `${lost} lines were lost: they could not be written to the disk`
  return [{ bytes: Buffer.from(text), partial: false }]
}

function noteLoss(
  state: LogState,
  { folder, log }: LogWriterOptions,
  entries: number,
  error: unknown,
): void {
  if (state.lost === 0) {
    log.error({ err: error, folder }, 'log: cannot be written; lines are lost until it can')
  }
  state.lost += entries
  // Lost entries use up their numbers, so that readers notice the gap.
  state.seq += entries
}
