/**
 * Finds where a log continues after its last writer, which may have been killed, and checks that
 * its head and lines match.
 * @module
 */
import { join } from 'node:path'
import { headName, listSegments, logName } from './files/folder.ts'
import { readHead, type Head, type HeadFacts, type HeadRecord } from './head.ts'
import { continues, maxUnconfirmedLines, noHash, type AuditLine } from './line.ts'
import { readTail, type Tail } from './files/tail.ts'

/** Events that the new writer records first. */
export type OpeningEvent =
  /** A killed writer left half a line, or whole lines that the head does not cover. */
  | { event: 'recovered'; droppedBytes: number; unconfirmedLines: number }
  /** Head and lines do not match: somebody changed them, or the machine lost power. */
  | {
      event: 'inconsistent'
      what: string
      expected: HeadFacts | null
      found: HeadFacts | null
    }

export interface ChainEnd extends HeadRecord {
  /** Bytes of whole lines in the current file; 0 for a new file. */
  logSize: number
  /** True when nothing was ever written. */
  isNew: boolean
  /** True when the current file does not match the head, so that it must not be continued. */
  isBroken: boolean
  events: OpeningEvent[]
}

/** Reads the head and the last lines. @param key key of the head's MAC */
export function findChainEnd(folder: string, key: Uint8Array): ChainEnd {
  const head = readHead(join(folder, headName), key)
  const wantedSeq = 'seq' in head ? head.seq : Infinity
  const log = readTail(join(folder, logName), wantedSeq) ?? noTail
  const before = log.isWhole ? lastSegment(folder, wantedSeq) : noTail
  const last = log.lines.length > 0 ? log : before
  const good = goodLines(last.lines)
  const facts = factsOf(good.at(-1))
  const oldest = 'seq' in head ? head.oldest : 1
  const ending = { ...facts, oldest, logSize: log.wholeBytes }
  const end = { ...ending, isNew: false, isBroken: false, events: [] }
  if (isUntouched(head, log, before)) return { ...end, isNew: true }
  const what =
    faultOf(head, good, last) ?? headFault(head, [...goodLines(before.lines), ...good], facts)
  if (what !== undefined) return { ...end, ...breakAfter(head, facts, what) }
  return { ...end, events: residue(head as HeadFacts, facts, log.tornBytes) }
}

const noTail: Tail = { lines: [], tornBytes: 0, isWhole: true, wholeBytes: 0 }

function lastSegment(folder: string, wantedSeq: number): Tail {
  const segment = listSegments(folder).at(-1)
  return (segment && readTail(join(folder, segment.name), wantedSeq)) ?? noTail
}

/** The lines before the first one that does not continue its predecessor. */
function goodLines(lines: Tail['lines']): AuditLine[] {
  const good: AuditLine[] = []
  for (const line of lines) {
    const previous = good.at(-1)
    // After a break the writer started a new chain.
    const fits = line && (!previous || line.event === 'inconsistent' || continues(line, previous))
    if (!fits) break
    good.push(line)
  }
  return good
}

function factsOf(line: AuditLine | undefined): HeadFacts {
  return line ? { seq: line.seq, hash: line.hash } : { seq: 0, hash: noHash }
}

/** True for an empty log, and for one whose first start ended before its first line. */
function isUntouched(head: Head, log: Tail, before: Tail): boolean {
  const isEmpty = log.lines.length === 0 && log.tornBytes === 0 && before.lines.length === 0
  return isEmpty && (head.state === 'missing' || ('seq' in head && head.seq === 0))
}

function faultOf(head: Head, good: AuditLine[], { lines }: Tail): string | undefined {
  if (good.length < lines.length) return 'a line does not continue the one before it'
  if (head.state === 'missing') return 'the head is missing'
  if (head.state === 'forged') return 'the head was not written under this host’s root secret'
  return undefined
}

function headFault(head: Head, lines: readonly AuditLine[], end: HeadFacts): string | undefined {
  if (!('seq' in head)) return undefined
  if (end.seq < head.seq) return 'lines are missing at the end'
  if (end.seq > head.seq + maxUnconfirmedLines) return 'the head is older than the lines'
  const covered = lines.find(({ seq }) => seq === head.seq)
  if (covered?.hash === head.hash) return undefined
  if (head.seq === 0 && (lines[0]?.seq ?? 1) === 1) return undefined
  return covered ? 'the line of the head was replaced' : 'the line of the head is missing'
}

/** Numbers continue after the largest known one, so that none occurs twice. */
function breakAfter(head: Head, { seq, hash }: HeadFacts, what: string) {
  const expected = 'seq' in head ? { seq: head.seq, hash: head.hash } : null
  const found = seq > 0 ? { seq, hash } : null
  const events: OpeningEvent[] = [{ event: 'inconsistent', what, expected, found }]
  return { seq: Math.max(seq, expected?.seq ?? 0), logSize: 0, isBroken: true, events }
}

function residue(head: HeadFacts, end: HeadFacts, droppedBytes: number): OpeningEvent[] {
  const unconfirmedLines = end.seq - head.seq
  if (droppedBytes === 0 && unconfirmedLines === 0) return []
  return [{ event: 'recovered', droppedBytes, unconfirmedLines }]
}
