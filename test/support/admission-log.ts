/**
 * The log of a daemon that is another process.
 * @module
 */
import { createInterface } from 'node:readline'
import type { Readable } from 'node:stream'

/** A line about refused connections. */
export interface LogLine {
  msg: string
  /** For a line about one connection. */
  reason?: string
  observed?: number
  peer?: { pid: number; uid: number; gid: number; command: string }
  /** For a line that sums up connections: their number by reason. */
  refused?: Record<string, number>
}

/** Resolves with the first matching line, whether already written or yet to come. */
export type Logged = (fits: (line: LogLine) => boolean) => Promise<LogLine>

/** Reads the daemon's stderr, to which its job may write, too. */
export function readLog(stderr: Readable): Logged {
  const lines: LogLine[] = []
  const readers = new Set<() => void>()
  createInterface({ input: stderr }).on('line', (text) => {
    if (!text.startsWith('{"level"')) return
    lines.push(JSON.parse(text) as LogLine)
    for (const look of readers) look()
  })
  return (fits) =>
    new Promise((resolve) => {
      const look = () => {
        const found = lines.find(fits)
        if (!found) return
        readers.delete(look)
        resolve(found)
      }
      readers.add(look)
      look()
    })
}
