/** Decodes a reply into records. @module */
import { decode, type Answer } from 'dns-packet'
import { BrokenReply, guardReply, type PlainNames } from './reply-guard.ts'
import type { RecordType } from './query.ts'
import { canonicalIpv6 } from './reverse-name.ts'

export interface Reply {
  /** RFC 1035 and 6895; 0 NOERROR, 2 SERVFAIL, 3 NXDOMAIN, 5 REFUSED. */
  code: number
  records: readonly DnsRecord[]
}

export interface DnsRecord {
  /** Lower case, without a final dot. */
  name: string
  type: RecordType | 'CNAME'
  /** Seconds. */
  ttl: number
  /** An address, a name as the server wrote it, or the strings of a TXT joined (latin1). */
  data: string
}

const truncatedBit = 0x02
const codeBits = 0x0f
const longestTtl = 2 ** 31

/** Whether the reply says that it is truncated and the rest comes by TCP. */
export function isTruncated(reply: Buffer): boolean {
  return (reply[2]! & truncatedBit) !== 0
}

/** @param reply a reply to the question that was asked; it is changed @throws BrokenReply */
export function readReply(reply: Buffer): Reply {
  const code = reply[3]! & codeBits
  const guarded = guardReply(reply)
  const answers = decodeAnswers(reply)
  return { code, records: answers.flatMap((answer, at) => toRecord(answer, guarded[at])) }
}

function decodeAnswers(reply: Buffer): Answer[] {
  try {
    return decode(reply).answers ?? []
  } catch (cause) {
    throw new BrokenReply('it cannot be decoded', { cause })
  }
}

/** No record for other types and classes. */
function toRecord(answer: Answer, isPlain: PlainNames | undefined): DnsRecord[] {
  if (answer.type === 'OPT' || !isPlain) return []
  // dns-packet reads one bit of the class as in multicast DNS.
  if (answer.class !== 'IN' || answer.flush) return []
  const data = textOf(answer, isPlain)
  if (data === undefined) return []
  const name = nameText(answer.name, isPlain.name).toLowerCase()
  return [{ name, type: answer.type as DnsRecord['type'], ttl: ttlOf(answer.ttl ?? 0), data }]
}

function textOf(answer: Exclude<Answer, { type: 'OPT' }>, isPlain: PlainNames) {
  if (answer.type === 'A') return answer.data
  if (answer.type === 'AAAA') return canonicalIpv6(answer.data)
  if (answer.type === 'TXT') return Buffer.concat(answer.data as Buffer[]).toString('latin1')
  if (answer.type === 'CNAME' || answer.type === 'PTR') return nameText(answer.data, isPlain.data)
  return undefined
}

/** For a label with a dot, text that is not a valid name; the plain text would be another name. */
function nameText(name: string, isPlain: boolean): string {
  return isPlain ? name : `\\ ${name}`
}

/** RFC 2181: a TTL with the highest bit counts as 0. */
function ttlOf(seconds: number): number {
  return seconds >= longestTtl ? 0 : seconds
}
