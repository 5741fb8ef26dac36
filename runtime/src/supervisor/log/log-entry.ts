/** Formats and parses one entry of a deployment's log: a line of JSON. @module */
import { isUtf8 } from 'node:buffer'
import * as v from 'valibot'
import { described, whole } from '../shown/fields.ts'
import type { LinePiece } from './log-lines.ts'

export const logStreams = ['stdout', 'stderr', 'host'] as const

/** One entry of a deployment's log. */
export const logEntry = v.object({
  seq: described(
    whole,
    'Counts from 1 in each deployment; missing numbers were rotated away or lost on a full disk.',
  ),
  time: described(v.string(), 'When the entry was written, ISO 8601 with milliseconds.'),
  execution: described(whole, '0: none.'),
  attempt: described(whole, '0: none.'),
  stream: described(v.picklist(logStreams), 'A stream of the job, or what the host says of it.'),
  text: v.exactOptional(v.string()),
  base64: v.exactOptional(described(v.string(), 'In place of `text`: bytes that are not UTF-8.')),
  partial: v.exactOptional(
    described(v.literal(true), 'The line goes on in the next entry, or ended without its end.'),
  ),
})

export type LogStream = (typeof logStreams)[number]
export type LogEntry = v.InferOutput<typeof logEntry>

/** Where a line comes from; 0 stands for none. */
export type LogSource = Pick<LogEntry, 'execution' | 'attempt' | 'stream'>

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
