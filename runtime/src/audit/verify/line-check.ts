/** Checks lines one by one: each must continue the one before it. @module */
import type { Head } from '../head.ts'
import { hashAfter, membersOf, noHash, parseLine, type AuditLine } from '../line.ts'

/** A line that passed the check. */
export type CheckedLine = Pick<AuditLine, 'seq' | 'time' | 'hash'>

/** State of the check after the lines so far. */
export interface LineCheck {
  readonly count: number
  readonly first: CheckedLine | undefined
  readonly last: CheckedLine | undefined
  /** Total of lines beyond the head that bridges found when they started. */
  readonly takenOver: number
  /** Checks the next line, without its newline. @returns what is wrong with it */
  take(bytes: Buffer): string | undefined
}

const notALine = 'not a line of an audit log'

export function createLineCheck(head: Head): LineCheck {
  let count = 0
  let first: CheckedLine | undefined
  let last: CheckedLine | undefined
  let takenOver = 0
  return {
    get count() {
      return count
    },
    get first() {
      return first
    },
    get last() {
      return last
    },
    get takenOver() {
      return takenOver
    },
    take(bytes) {
      const line = parseLine(bytes)
      if (!line) return notALine
      const fault = breakFault(line, bytes) ?? orderFault(line, last) ?? headFault(line, head)
      if (fault !== undefined) return fault
      const { seq, time, hash } = line
      last = { seq, time, hash }
      first ??= last
      count++
      if (line.event === 'recovered') takenOver += unconfirmedIn(bytes)
      return undefined
    },
  }
}

function unconfirmedIn(bytes: Buffer): number {
  const { unconfirmedLines } = membersOf(bytes)
  return typeof unconfirmedLines === 'number' ? unconfirmedLines : 0
}

/** A break that a later bridge found and recorded; the finding stays true. */
function breakFault({ event, time }: AuditLine, bytes: Buffer): string | undefined {
  if (event !== 'inconsistent') return undefined
  const { what, expected, found } = membersOf(bytes)
  const facts = `the head names line ${seqOf(expected)}, the last matching line was ${seqOf(found)}`
  return `the log before this line was inconsistent at ${new Date(time).toISOString()}: ${typeof what === 'string' ? what : '?'} (${facts})`
}

function orderFault(line: AuditLine, last: CheckedLine | undefined): string | undefined {
  // Lines before the oldest kept one may have been removed.
  const previous = last ?? (line.seq === 1 ? { seq: 0, hash: noHash } : undefined)
  if (!previous) return undefined
  const expected = previous.seq + 1
  if (line.seq > expected)
    return `expected line ${expected}, found line ${line.seq}: lines are missing, or out of order`
  if (line.seq < expected)
    return `expected line ${expected}, found line ${line.seq}: a line is repeated, or out of order`
  if (line.hash === hashAfter(previous.hash, line.body)) return undefined
  return 'its hash does not match its content and the line before: one of them was changed'
}

function headFault({ seq, hash }: AuditLine, head: Head): string | undefined {
  if (!('seq' in head) || head.seq !== seq || head.hash === hash) return undefined
  return 'the head has another hash for this line: it or an earlier line was changed and rehashed, or the head was replaced'
}

function seqOf(facts: unknown): string {
  const seq = (facts as { seq?: unknown } | null | undefined)?.seq
  return typeof seq === 'number' ? String(seq) : 'none'
}
