/**
 * What has to be true of a reply before dns-packet reads it.
 *
 * It follows pointers without counting: 8 KB of names that each lead through hundreds of others
 * block the process for 30 ms, 64 KB for a second. It reads addresses past the end of their record,
 * joins a label that holds a dot like two, and knows thirty record types that nobody asked for.
 * @module
 */
import { headerBytes, questionTail } from './query.ts'

/** A reply that breaks the rules of its format. */
export class BrokenReply extends Error {
  override readonly name = 'BrokenReply'
}

/** Of one record: false where a label of a name holds a dot, which as text is another name. */
export interface PlainNames {
  name: boolean
  /** True for data that are no name. */
  data: boolean
}

const typeNumbers = { A: 1, CNAME: 5, PTR: 12, TXT: 16, AAAA: 28 }
/** For private use (RFC 6895): dns-packet takes its data as they are. */
const opaqueType = 65_280
const recordHead = 10
const firstPointer = 0xc0
const longestLabel = 63
const longestName = 254
/** Some milliseconds of dns-packet; 200 addresses of a host take 800. */
const mostLabels = 4000
const dot = 0x2e

interface RecordPlace {
  type: number
  nameAt: number
  dataAt: number
  dataEnd: number
}

/**
 * Makes a reply safe to decode, in place: only the answer remains of it, records of types that are
 * not asked for become opaque, and the rest is what it says it is.
 * @param reply its question is the one asked
 * @throws BrokenReply
 */
export function guardReply(reply: Buffer): PlainNames[] {
  const count = reply.readUInt16BE(6)
  reply.writeUInt32BE(0, 8) // no authority, no additional records
  const places: RecordPlace[] = []
  let at = skipName(reply, headerBytes) + questionTail
  // Whatever is to be changed is changed before names are followed, which may lead anywhere.
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

/** False for types that nobody asks for, too. */
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

/** Where the bytes of a name end; it may go on elsewhere. */
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
 * Follows names as dns-packet does, all of a reply together up to a limit.
 * @returns whether no label of the one that begins there holds a dot
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

/** Backwards only, so that there are no circles. */
function pointerTarget(reply: Buffer, at: number, before: number): number {
  if (at + 2 > reply.length) throw new BrokenReply('a name is cut off')
  const target = reply.readUInt16BE(at) & 0x3fff
  if (target >= before || target < headerBytes) throw new BrokenReply('a pointer leads nowhere')
  return target
}
