/**
 * Encodes one question, and recognizes its answers. A forger who does not see the question has to
 * guess its id, its port and the case of every letter of its name.
 * @module
 */
import { RECURSION_DESIRED, encode, type OptAnswer } from 'dns-packet'

export type RecordType = 'TXT' | 'A' | 'AAAA' | 'PTR'

export interface Query {
  packet: Buffer
  /** Whether a packet is a reply with this id and exactly this question, letter case included. */
  isAnsweredBy(reply: Buffer): boolean
  /** Like `isAnsweredBy`, but in any letter case. */
  isAnsweredInOtherLetters(reply: Buffer): boolean
}

/** Larger replies may arrive in fragments, which can be forged (RFC 9715). */
export const mostUdpBytes = 1232
export const headerBytes = 12
/** Bytes of the question's type and class, after its name. */
export const questionTail = 4
const isReply = 0x80
const opcodeBits = 0x78

/** @param name passed `isDomainName` */
export function createQuery(
  name: string,
  type: RecordType,
  randomBytes: (count: number) => Buffer,
): Query {
  const packet = encode({
    type: 'query',
    id: randomBytes(2).readUInt16BE(),
    flags: RECURSION_DESIRED,
    questions: [{ name: mixCase(name, randomBytes), type }],
    additionals: [options],
  })
  // An encoded name has a byte more than its text at either end.
  const end = headerBytes + name.length + 2 + questionTail
  const isSame = (reply: Buffer, question: (packet: Buffer) => Buffer) =>
    hasHead(reply, packet, end) && question(reply).equals(question(packet))
  return {
    packet,
    isAnsweredBy: (reply) => isSame(reply, (one) => one.subarray(headerBytes, end)),
    isAnsweredInOtherLetters: (reply) => isSame(reply, (one) => lowerCase(one, end)),
  }
}

const options: OptAnswer = {
  type: 'OPT',
  name: '.',
  udpPayloadSize: mostUdpBytes,
  extendedRcode: 0,
  ednsVersion: 0,
  flags: 0,
  flag_do: false,
  options: [],
}

function hasHead(reply: Buffer, query: Buffer, questionEnd: number): boolean {
  return (
    reply.length >= questionEnd &&
    reply.readUInt16BE(0) === query.readUInt16BE(0) &&
    (reply[2]! & (isReply | opcodeBits)) === isReply &&
    reply.readUInt16BE(4) === 1
  )
}

/** Only the name's letters change: length bytes are no letters, as labels have at most 63 bytes. */
function lowerCase(packet: Buffer, questionEnd: number): Buffer {
  const text = packet.toString('latin1', headerBytes, questionEnd)
  return Buffer.from(text.toLowerCase(), 'latin1')
}

/** Picks the case of each letter at random: servers return the question unchanged ("0x20"). */
function mixCase(name: string, randomBytes: (count: number) => Buffer): string {
  const bits = randomBytes(Math.ceil(name.length / 8))
  let mixed = ''
  for (let at = 0; at < name.length; at++) {
    const isLarge = (bits[at >> 3]! >> (at & 7)) & 1
    mixed += isLarge ? name[at]!.toUpperCase() : name[at]!.toLowerCase()
  }
  return mixed
}
