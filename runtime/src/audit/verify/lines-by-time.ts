/** Merges the lines of several logs by time. @module */
import { auditLines } from './audit-lines.ts'
import { parseLine } from '../line.ts'

/** A log that is being read, and its next line. */
interface Source {
  line: string
  time: number
  rest: Iterator<string>
}

/** All lines of the logs, or the last `count` in total; the oldest first. */
export function* linesByTime(folders: readonly string[], count = Infinity): Generator<string> {
  const lines = merged(folders.map((folder) => auditLines(folder, count)))
  if (count === Infinity) yield* lines
  else yield* [...lines].slice(-count)
}

function* merged(logs: readonly Iterable<string>[]): Generator<string> {
  const sources = logs.flatMap((log) => next(log[Symbol.iterator](), 0))
  while (sources.length > 0) {
    const index = indexOfOldest(sources)
    const { line, time, rest } = sources[index]!
    yield line
    sources.splice(index, 1, ...next(rest, time))
  }
}

/** A line without a valid time counts as of the same time as the line before it. */
function next(rest: Iterator<string>, time: number): Source[] {
  const result = rest.next()
  if (result.done) return []
  const line = result.value
  return [{ line, time: parseLine(Buffer.from(line))?.time ?? time, rest }]
}

function indexOfOldest(sources: readonly Source[]): number {
  let oldest = 0
  for (let index = 1; index < sources.length; index++)
    if (sources[index]!.time < sources[oldest]!.time) oldest = index
  return oldest
}
