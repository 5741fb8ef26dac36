/** Reads the lines of a log without checking them. @module */
import { readLines } from '../files/read-lines.ts'
import { closeAll, openSnapshot, type OpenFile } from './snapshot.ts'

/** All whole lines, or the last `count`; without newlines. */
export function* auditLines(folder: string, count = Infinity): Generator<string> {
  const files = openSnapshot(folder)
  try {
    if (count === Infinity) for (const { fd } of files) yield* textLines(fd)
    else yield* lastLines(files, count)
  } finally {
    closeAll(files)
  }
}

/** Reads files from the newest back, and no older ones than needed. */
function lastLines(files: readonly OpenFile[], count: number): string[] {
  let kept: string[] = []
  for (const { fd } of files.toReversed()) {
    if (kept.length >= count) break
    kept = [...endOf(textLines(fd), count - kept.length), ...kept]
  }
  return kept
}

function endOf(lines: Iterable<string>, count: number): string[] {
  let kept: string[] = []
  for (const line of lines) {
    kept.push(line)
    // Slicing at every line would be slow.
    if (kept.length > 2 * count + 1000) kept = kept.slice(-count)
  }
  return kept.slice(kept.length - Math.min(kept.length, count))
}

function* textLines(fd: number): Generator<string> {
  for (const { bytes, isWhole } of readLines(fd)) if (isWhole) yield bytes.toString('utf8')
}
