/**
 * Checks a reply before dns-packet decodes it.
 *
 * dns-packet follows any number of pointers: 8 KB of names that each lead through hundreds of
 * others block the process for 30 ms, 64 KB for a second. It reads addresses past the end of their
 * record, joins a label with a dot like two, and decodes thirty types that nobody asked for.
 * @module
 */
import { headerBytes, questionTail } from './query.ts'

/** A reply that violates its format. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply'
}

/** For one record: false where a name has a dot within a label, and so reads as another name. */
export interface PlainNames {
  name: boolean
  /** True for data that is not a name. */
  data: boolean
}

const typeNumbers = { A: 1, CNAME: 5, PTR: 12, TXT: 16, AAAA: 28 }
/** A type for private use (RFC 6895), whose data dns-packet does not decode. */
const opaqueType = 65_280
const recordHead = 10
const firstPointer = 0xc0
const longestLabel = 63
const longestName = 254
/** dns-packet takes some milliseconds for so many; a host with 200 addresses has 800. */
const mostLabels = 4000
const dot = 0x2e

interface RecordPlace {
  type: number
  nameAt: number
  dataAt: number
  dataEnd: number
}

/**
 * Makes a reply safe to decode, in place: keeps only the answer section, makes records of types
 * that nobody asks for opaque, and checks all others.
 * @param reply a reply to the question that was asked
 * @throws BrokenReply
 */
export function guardReply(reply: Buffer): PlainNames[] {
  const count = reply.readUInt16BE(6)
  reply.writeUInt32BE(0, 8) // no authority, no additional records
  const places: RecordPlace[] = []
  let at = skipName(reply, headerBytes) + questionTail
  // All changes come before the first name is followed, because a name may lead anywhere.
  while (places.length < count) {
    const place = recordAt(reply, at)
    places.push(place)
    at = place.dataEnd
  }
  const walk = createNameWalk(reply)
  return places.map((place) => plainNames(place, walk))
}

function recordAt(reply: Buffer, nameAt: number): RecordPlace {
  const at = skipName(reply, nameAt)
  if (at + recordHead > reply.length) throw new BrokenReply('a record is cut off')
  const dataAt = at + recordHead
  const dataEnd = dataAt + reply.readUInt16BE(dataAt - 2)
  if (dataEnd > reply.length) throw new BrokenReply('record data is cut off')
  const type = reply.readUInt16BE(at)
  if (!hasRightLength(reply, type, dataAt, dataEnd)) reply.writeUInt16BE(opaqueType, at)
  return { type: reply.readUInt16BE(at), nameAt, dataAt, dataEnd }
}

/** Whether the data fits its type; false for types that nobody asks for. */
function hasRightLength(reply: Buffer, type: number, dataAt: number, dataEnd: number): boolean {
  switch (type) {
    case typeNumbers.A:
      return dataEnd - dataAt === 4
    case typeNumbers.AAAA:
      return dataEnd - dataAt === 16
    case typeNumbers.CNAME:
    case typeNumbers.PTR:
      return dataEnd > dataAt && skipName(reply, dataAt) === dataEnd
    case typeNumbers.TXT:
      return skipStrings(reply, dataAt, dataEnd) === dataEnd
    default:
      return false
  }
}

/** Where the bytes of a name end here; a pointer may continue it elsewhere. */
function skipName(reply: Buffer, start: number): number {
  let at = start
  for (;;) {
    const length = reply[at]
    if (length === undefined) throw new BrokenReply('a name is cut off')
    if (length === 0) return at + 1
    if (length >= firstPointer) return at + 2
    at += 1 + length
  }
}

function skipStrings(reply: Buffer, start: number, end: number): number {
  let at = start
  while (at < end) at += 1 + reply[at]!
  return at
}

function plainNames(place: RecordPlace, walk: (at: number) => boolean): PlainNames {
  const holdsName = place.type === typeNumbers.CNAME || place.type === typeNumbers.PTR
  return { name: walk(place.nameAt), data: !holdsName || walk(place.dataAt) }
}

/**
 * Follows names as dns-packet does; all names of a reply share one limit.
 * @returns a function that says whether no label of the name at an offset contains a dot
 */
function createNameWalk(reply: Buffer): (at: number) => boolean {
  let steps = 0
  return (start) => {
    let [at, before, length, isPlain] = [start, start, 0, true]
    for (;;) {
      if (++steps > mostLabels) throw new BrokenReply('its names are too long to follow')
      const head = reply[at]
      if (head === undefined) throw new BrokenReply('a name is cut off')
      if (head === 0) return isPlain
      if (head >= firstPointer) {
        at = before = pointerTarget(reply, at, before)
        continue
      }
      length += 1 + head
      if (head > longestLabel || length > longestName) throw new BrokenReply('a name is too long')
      const end = at + 1 + head
      isPlain &&= !isBetween(reply.indexOf(dot, at), at, end)
      at = end
    }
  }
}

function isBetween(found: number, from: number, end: number): boolean {
  return found > from && found < end
}

/** Follows a pointer backwards only, so that there are no loops. */
function pointerTarget(reply: Buffer, at: number, before: number): number {
  if (at + 2 > reply.length) throw new BrokenReply('a name is cut off')
  const target = reply.readUInt16BE(at) & 0x3fff
  if (target >= before || target < headerBytes) throw new BrokenReply('a pointer leads nowhere')
  return target
}
