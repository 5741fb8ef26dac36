/**
 * Checks an audit log from its first line to its head. It takes no lock, so it can run beside a
 * bridge.
 * @module
 */
import { join } from 'node:path'
import { headName, logName } from '../files/folder.ts'
import type { Head, HeadRecord } from '../head.ts'
import { createLineCheck, type CheckedLine, type LineCheck } from './line-check.ts'
import { readEitherHead } from '../next-head.ts'
import { maxLineBytes, maxUnconfirmedLines } from '../line.ts'
import { readLines } from '../files/read-lines.ts'
import { closeAll, openSnapshot, type OpenFile } from './snapshot.ts'

/** The first fault in the log. */
export interface AuditFinding {
  file: string
  /** Counted from 1; 0 for a file without lines. */
  line: number
  what: string
}

export interface AuditReport {
  /** Absent when the log is intact. */
  finding?: AuditFinding
  /** For people: facts that are no fault but worth knowing. */
  remarks: readonly string[]
  /** Number of lines that passed. */
  lines: number
  /** Absent when no line passed. */
  first?: CheckedLine
  last?: CheckedLine
}

/** Result of reading all lines. */
interface Reading {
  /** The oldest file. */
  firstName: string
  /** Where reading ended. */
  name: string
  line: number
  /** Bytes after the last newline. */
  tornBytes: number
  /** The fault of the line there. */
  what?: string
}

/**
 * Checks every line of a deployment's log.
 * @param key key of the head's MAC; without it, a cut at the end or a complete rehash goes
 *   undetected
 */
export function verifyAuditLog(folder: string, key: Uint8Array | undefined): AuditReport {
  // The head first: the lines that it covers exist even if the log grows meanwhile.
  const head = readEitherHead(folder, key)
  const files = openSnapshot(folder)
  try {
    const check = createLineCheck(head)
    const reading = readAll(files, check)
    // A running bridge may have written a newer head meanwhile.
    const later = readEitherHead(folder, key)
    const facts = 'seq' in later ? later : { oldest: 1, seq: Infinity }
    const finding = findingOf(folder, reading, head, check, facts)
    return reportOf(finding, remarksOf(reading, later, check, key), check)
  } finally {
    closeAll(files)
  }
}

function readAll(files: readonly OpenFile[], check: LineCheck): Reading {
  const reading = { firstName: files[0]?.name ?? logName, name: logName, line: 0, tornBytes: 0 }
  for (const { name, fd } of files) {
    Object.assign(reading, { name, line: 0 })
    for (const { bytes, isWhole } of readLines(fd)) {
      reading.line++
      // The current file may end in half a line: a bridge is writing, or was killed.
      const isResidue = !isWhole && name === logName && bytes.length <= maxLineBytes
      if (isResidue) return { ...reading, tornBytes: bytes.length }
      const what = isWhole ? check.take(bytes) : 'the line has no end'
      if (what !== undefined) return { ...reading, what }
    }
  }
  return reading
}

function findingOf(
  folder: string,
  { firstName, name, line, what }: Reading,
  head: Head,
  { first, last }: LineCheck,
  { oldest, seq: headSeq }: Pick<HeadRecord, 'oldest' | 'seq'>,
): AuditFinding | undefined {
  const at = (file: string, number: number, text: string) => ({
    file: join(folder, file),
    line: number,
    what: text,
  })
  if (what !== undefined) return at(name, line, what)
  if (first && first.seq > oldest) {
    return at(firstName, 1, `lines ${oldest} to ${first.seq - 1} are missing at the beginning`)
  }
  if (!first && head.state === 'missing') return at(name, line, 'there is no audit log')
  if (!('seq' in head)) return at(headName, 1, headFaults[head.state])
  const lastSeq = last?.seq ?? 0
  if (lastSeq > headSeq + maxUnconfirmedLines)
    return at(headName, 1, `too old: no head covers lines ${headSeq + 1} to ${lastSeq}`)
  if (lastSeq >= head.seq) return undefined
  return at(name, line, `lines ${lastSeq + 1} to ${head.seq} are missing at the end`)
}

const headFaults = {
  missing: 'missing: where the log ended is unknown',
  forged: 'not written by a bridge of this deployment under this root secret',
}

function remarksOf(
  { tornBytes }: Reading,
  head: Head,
  { last, takenOver }: LineCheck,
  key: Uint8Array | undefined,
): string[] {
  const remarks: string[] = []
  if (!key)
    remarks.push('the head was not checked: only the root secret shows whether it is authentic')
  const oldest = 'seq' in head ? head.oldest : 1
  if (oldest > 1)
    remarks.push(`older lines, 1 to ${oldest - 1}, were removed because of audit.maxSegments`)
  if (takenOver > 0)
    remarks.push(
      `${takenOver} lines were left by killed bridges, which no longer wrote a head for them`,
    )
  if (tornBytes > 0)
    remarks.push(`half a line of ${tornBytes} bytes at the end: a bridge is writing, or was killed`)
  if (last && 'seq' in head && last.seq > head.seq)
    remarks.push(
      `lines ${head.seq + 1} to ${last.seq} are not covered by the head yet: a bridge is writing, or was killed`,
    )
  return remarks
}

function reportOf(
  finding: AuditFinding | undefined,
  remarks: readonly string[],
  { count: lines, first, last }: LineCheck,
): AuditReport {
  return {
    ...(finding && { finding }),
    remarks,
    lines,
    ...(first && { first }),
    ...(last && { last }),
  }
}
