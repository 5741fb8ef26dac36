/**
 * One line of a deployment's log, as it is on disk and as readers get it.
 * @module
 */
import { isUtf8 } from 'node:buffer'
import type { LinePiece } from './log-lines.ts'

export const logStreams = ['stdout', 'stderr', 'host'] as const

/** `stdout` and `stderr` are the job's; `host` is what Causeway says about it. */
export type LogStream = (typeof logStreams)[number]

/** Where a line comes from; 0 stands for none. */
export interface LogSource {
  execution: number
  attempt: number
  stream: LogStream
}

export interface LogEntry extends LogSource {
  /** Counts from 1 in each deployment; a gap is what was rotated away or had no room on the disk. */
  seq: number
  /** When it was written: ISO 8601 with milliseconds. */
  time: string
  text?: string
  /** In place of `text` for bytes that are not UTF-8. */
  base64?: string
  /** The line goes on in the next entry of the stream, or its stream ended without a line's end. */
  partial?: true
}

/** The lines of entries from `seq` on, each with its line's end. */
export function formatEntries(
  pieces: readonly LinePiece[],
  seq: number,
  { execution, attempt, stream }: LogSource,
  now: Date,
): string {
  const source = `"time":"${now.toISOString()}","execution":${execution},"attempt":${attempt},"stream":"${stream}"`
  const lines = pieces.map(({ bytes, partial }, index) => {
    const end = partial ? ',"partial":true}\n' : '}\n'
    return `{"seq":${seq + index},${source},${content(bytes)}${end}`
  })
  return lines.join('')
}

function content(bytes: Buffer): string {
  if (isUtf8(bytes)) return `"text":${JSON.stringify(bytes.toString('utf8'))}`
  return `"base64":"${bytes.toString('base64')}"`
}

/** The entry of a line without its end; undefined for anything else, such as half of one. */
export function parseEntry(line: string): LogEntry | undefined {
  try {
    const entry = JSON.parse(line) as Partial<LogEntry> | null
    const isEntry = Number.isSafeInteger(entry?.seq) && isLogStream(entry?.stream)
    return isEntry ? (entry as LogEntry) : undefined
  } catch {
    return undefined
  }
}

export function isLogStream(name: unknown): name is LogStream {
  return logStreams.some((stream) => stream === name)
}

/** The bytes that the job wrote. */
export function entryBytes({ text, base64, partial }: LogEntry): Buffer {
  const bytes = base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64')
  return partial ? bytes : Buffer.concat([bytes, Buffer.from('\n')])
}
