/** Finds and removes the segments of a log, which are its full files. @module */
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { orNone } from '@causeway/service/failure'
import { listSegments, type Segment } from './folder.ts'
import type { HeadFacts } from '../head.ts'
import { continues, membersOf, parseLine, type AuditLine } from '../line.ts'
import { withPlain } from './plain-file.ts'
import { readLines } from './read-lines.ts'
import { readTail } from './tail.ts'

/**
 * The segments that this log has written, oldest first. Walks back from the newest: each segment is
 * continued by the next. Skips files that somebody else put there.
 * @param newest name of the segment that was just closed
 */
export function ownSegments(folder: string, newest: string): Segment[] {
  const others = listSegments(folder).filter(({ name }) => name !== newest)
  const start = firstLineOf(join(folder, newest))
  if (!start) return []
  const own: Segment[] = [{ name: newest, firstSeq: start.line.seq }]
  let next = start
  for (const { name } of others.reverse()) {
    const path = join(folder, name)
    const first = firstIfFollowedBy(path, next)
    if (!first) continue
    own.unshift({ name, firstSeq: first.line.seq })
    next = first
  }
  return own
}

/** A file's first line. */
interface FirstLine {
  line: AuditLine
  bytes: Buffer
}

/** The first line of a file that `next` continues; otherwise undefined. */
function firstIfFollowedBy(path: string, next: FirstLine): FirstLine | undefined {
  return orNone(() => (isFollowedBy(path, next) ? firstLineOf(path) : undefined))
}

function isFollowedBy(path: string, { line, bytes }: FirstLine): boolean {
  if (line.event !== 'inconsistent') {
    const last = readTail(path, Infinity)?.lines.at(-1)
    return last !== undefined && continues(line, last)
  }
  // After a break the log continued in a new file, whose first line names the old file's last line.
  const { seq, hash } = (membersOf(bytes)['found'] ?? {}) as Partial<HeadFacts>
  const tail = typeof seq === 'number' ? readTail(path, seq) : undefined
  return tail?.lines.some((found) => found?.seq === seq && found?.hash === hash) ?? false
}

export function removeSegments(folder: string, segments: readonly Segment[]): void {
  for (const { name } of segments) rmSync(join(folder, name), { force: true })
}

/** Number of a file's first line; undefined when the line is not valid. */
export function firstSeqOf(file: string): number | undefined {
  return firstLineOf(file)?.line.seq
}

function firstLineOf(file: string): FirstLine | undefined {
  return withPlain(file, (fd) => {
    for (const { bytes } of readLines(fd)) {
      const line = parseLine(bytes)
      return line && { line, bytes }
    }
    return undefined
  })
}
