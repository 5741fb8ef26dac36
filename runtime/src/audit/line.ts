/** Parses and hashes one line of an audit log; `docs/audit.md` describes the bytes. @module */
import { createHash } from 'node:crypto'

/** Stands for the previous hash in the first line. */
export const noHash = '0'.repeat(64)

/** Most bytes of a line; only an event that contains a deployment's own texts comes near it. */
export const maxLineBytes = 4 * 1024 * 1024

/** Most lines beyond the head after a kill: more than a bridge writes in 5 ms. */
export const maxUnconfirmedLines = 1000

/** Fields of a line; none of them has been checked. */
export interface AuditLine {
  seq: number
  /** Unix time, ms. */
  time: number
  /** Hex, 64 digits. */
  hash: string
  /** Name of the event; absent for the use of a key. */
  event?: string
  /** Bytes that the hash covers, after the previous line's hash. */
  body: Uint8Array
}

const shape =
  /^\{"seq":([1-9]\d{0,14}),"time":(\d{1,15}),"(?:method|event":"(\w+))".*,"hash":"([0-9a-f]{64})"\}$/s
const hashMemberBytes = `,"hash":"${noHash}"}`.length

/** Parses a line without its newline; undefined when its form is wrong. */
export function parseLine(bytes: Buffer): AuditLine | undefined {
  const found = shape.exec(bytes.toString('latin1'))
  if (!found) return undefined
  const [, seq, time, event, hash] = found
  return {
    seq: Number(seq),
    time: Number(time),
    hash: hash!,
    ...(event !== undefined && { event }),
    body: bytes.subarray(0, bytes.length - hashMemberBytes),
  }
}

/** The hash of a line after its predecessor, hex. */
export function hashAfter(previousHash: string, body: Uint8Array): string {
  return createHash('sha256').update(Buffer.from(previousHash, 'hex')).update(body).digest('hex')
}

/** Whether a line follows `previous` in the chain. */
export function continues(line: AuditLine, previous: Pick<AuditLine, 'seq' | 'hash'>): boolean {
  return line.seq === previous.seq + 1 && line.hash === hashAfter(previous.hash, line.body)
}

/** Members of a line; empty when it is not JSON. */
export function membersOf(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch {
    return {}
  }
}
