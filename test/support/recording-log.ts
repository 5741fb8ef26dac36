/**
 * A real pino logger whose lines can be read back.
 * @module
 */
import { pino, type Logger } from 'pino'

export interface RecordingLog {
  log: Logger
  /** Every line so far, parsed. */
  lines: Record<string, unknown>[]
}

export function recordingLog(): RecordingLog {
  const lines: Record<string, unknown>[] = []
  const write = (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>)
  return { log: pino({ level: 'debug', base: null, timestamp: false }, { write }), lines }
}
