/**
 * A deployment's log: the output of its jobs and the events around them, as numbered entries.
 * @module
 */
import { EventEmitter, once } from 'node:events'
import type { Readable } from 'node:stream'
import type { Logger } from '@causeway/service/log'
import { captureStream } from './log-capture.ts'
import type { LogSource } from './log-entry.ts'
import { readLog, type LogQuery, type ReadableLog } from './log-reader.ts'
import type { LogEnd, LogLimits } from './log-state.ts'
import { openLogWriter } from './log-writer.ts'

export interface DeploymentLogOptions extends LogLimits {
  folder: string
  log: Logger
  /** Time without output after which an unfinished line is written. Default 1 s. */
  idleMs?: number
}

/** The attempt that lines belong to. */
export type AttemptSource = Omit<LogSource, 'stream'>

export interface DeploymentLog {
  /** Number of the last entry. */
  readonly seq: number
  /** Writes a job's output as it arrives; resolves when both streams have ended. */
  capture(job: { stdout: Readable; stderr: Readable }, source: AttemptSource): Promise<void>
  /** Writes a line of the host about an event. */
  tell(text: string, source?: AttemptSource): Promise<void>
  /** Yields batches of lines of JSON. */
  read(query: LogQuery, signal: AbortSignal): AsyncGenerator<string[]>
  /** Makes followers check again whether to wait for more. */
  nudge(): void
  /** Closes the log; readers end once they have read everything. */
  close(): Promise<void>
}

const defaultIdleMs = 1000
const noAttempt = { execution: 0, attempt: 0 }

export async function openDeploymentLog(options: DeploymentLogOptions): Promise<DeploymentLog> {
  const { folder, idleMs = defaultIdleMs } = options
  const readable = createReadable(folder)
  const writer = await openLogWriter({ ...options, onWritten: readable.advance })
  const capture = (stream: Readable, source: LogSource) =>
    captureStream(stream, { append: (pieces) => writer.append(source, pieces), idleMs })
  return {
    get seq() {
      return readable.end.seq
    },
    async capture({ stdout, stderr }, source) {
      await Promise.all([
        capture(stdout, { ...source, stream: 'stdout' }),
        capture(stderr, { ...source, stream: 'stderr' }),
      ])
    },
    tell: (text, source = noAttempt) =>
      writer.append({ ...source, stream: 'host' }, [{ bytes: Buffer.from(text), partial: false }]),
    read: (query, signal) => readLog(readable, query, signal),
    nudge: readable.nudge,
    async close() {
      await writer.close()
      readable.finish()
    },
  }
}

interface Changes {
  advance: (end: LogEnd) => void
  nudge: () => void
  finish: () => void
}

function createReadable(folder: string): ReadableLog & Changes {
  const news = new EventEmitter().setMaxListeners(0)
  let end: LogEnd = { seq: 0, segment: 0, size: 0 }
  let isFinished = false
  const readable: ReadableLog & Changes = {
    folder,
    get end() {
      return end
    },
    async waitFor(above, signal) {
      if (end.seq <= above && !isFinished) await once(news, 'more', { signal }).catch(() => {}) // aborted
      return !signal.aborted && (end.seq > above || !isFinished)
    },
    nudge: () => void news.emit('more'),
    advance(newEnd) {
      end = newEnd
      news.emit('more')
    },
    finish() {
      isFinished = true
      news.emit('more')
    },
  }
  return readable
}
