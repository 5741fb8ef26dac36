/** A service's log: JSON lines on stderr. @module */
import { destination, pino, type Logger } from 'pino'
import { escapeControls } from './escape-controls.ts'

export type { Logger } from 'pino'

/** Levels of a log, from nothing to everything. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** A logger that writes each line before it returns; stdout stays free for programs to read. */
export function createLogger(level: string): Logger {
  const stderr = destination({ fd: 2, sync: true })
  // A terminal that was closed, or a reader that has left, must not end the service.
  stderr.on('error', () => {})
  // What a job named itself, say, must not write to the operator's terminal.
  const write = (line: string) => void stderr.write(`${escapeControls(line.trimEnd())}\n`)
  return pino({ level, base: null }, { write })
}
