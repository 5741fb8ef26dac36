/**
 * Formats and parses one entry of a deployment's log: a line of JSON.
 * @module
 */
import { isUtf8 } from 'node:buffer'
import type { LinePiece } from './log-lines.ts'

export const logStreams = ['stdout', 'stderr', 'host'] as const

/** `stdout` and `stderr` are the job's; Causeway writes `host`. */
export type LogStream = (typeof logStreams)[number]

/** Source of a line; 0 stands for none. */
export interface LogSource {
  execution: number
  attempt: number
  stream: LogStream
}

export interface LogEntry extends LogSource {
  /** Counts from 1 in each deployment; missing numbers were rotated away or lost on a full disk. */
  seq: number
  /** Time of writing: ISO 8601 with milliseconds. */
  time: string
  text?: string
  /** Instead of `text`, for bytes that are not UTF-8. */
  base64?: string
  /** The line continues in the next entry of the stream, or the stream ended within it. */
  partial?: true
}

/** Formats entries, numbered from `seq`, each with a line end. */
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

/** Parses a line without its line end; undefined for anything but an entry, such as half of one. */
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

/** The bytes of an entry as the job wrote them. */
export function entryBytes({ text, base64, partial }: LogEntry): Buffer {
  const bytes = base64 === undefined ? Buffer.from(text ?? '') : Buffer.from(base64, 'base64')
  return partial ? bytes : Buffer.concat([bytes, Buffer.from('\n')])
}
