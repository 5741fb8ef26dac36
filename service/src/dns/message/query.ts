/**
 * One question as a packet, and which packets answer it. Somebody who forges a reply without
 * seeing the question has to guess its id, its port and the case of every letter of its name.
 * @module
 */
import { RECURSION_DESIRED, encode, type OptAnswer } from 'dns-packet'

export type RecordType = 'TXT' | 'A' | 'AAAA' | 'PTR'

export interface Query {
  packet: Buffer
  /** Whether a packet has this id and this question to the letter, and is a reply. */
  isAnsweredBy(reply: Buffer): boolean
  /** The same but for large and small letters. */
  isAnsweredInOtherLetters(reply: Buffer): boolean
}

/** Larger replies may arrive in fragments, and those can be forged (RFC 9715). */
export const mostUdpBytes = 1232
export const headerBytes = 12
/** The question's type and class, after its name. */
export const questionTail = 4
const isReply = 0x80
const opcodeBits = 0x78

/** @param name checked: see domain-name */
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
  // The name takes a byte more than its text at either end.
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

/** Nothing else of a question looks like a letter: labels have at most 63 bytes. */
function lowerCase(packet: Buffer, questionEnd: number): Buffer {
  const text = packet.toString('latin1', headerBytes, questionEnd)
  return Buffer.from(text.toLowerCase(), 'latin1')
}

/** Each letter large or small by chance: servers send the question back as it is ("0x20"). */
function mixCase(name: string, randomBytes: (count: number) => Buffer): string {
  const bits = randomBytes(Math.ceil(name.length / 8))
  let mixed = ''
  for (let at = 0; at < name.length; at++) {
    const isLarge = (bits[at >> 3]! >> (at & 7)) & 1
    mixed += isLarge ? name[at]!.toUpperCase() : name[at]!.toLowerCase()
  }
  return mixed
}
