/** A service's log: JSON lines on stderr. @module */
import { destination, pino, type Logger } from 'pino'

export type { Logger } from 'pino'

/** Levels of a log, from nothing to everything. */
export const logLevels = ['silent', 'fatal', 'error', 'warn', 'info', 'debug', 'trace']

/** A logger that writes each line before it returns; stdout stays free for programs to read. */
export function createLogger(level: string): Logger {
  return pino({ level, base: null }, destination({ fd: 2, sync: true }))
}
