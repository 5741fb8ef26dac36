/**
 * One line of an audit log. The bytes are described in `docs/audit.md`.
 * @module
 */
import { createHash } from 'node:crypto'

/** Hash of the line before the first one. */
export const noHash = '0'.repeat(64)

/** The most bytes a line has; only an event with a deployment's own texts comes near. */
export const maxLineBytes = 4 * 1024 * 1024

/**
 * More lines than 5 ms hold: a killed bridge leaves no more beyond its head.
 */
export const maxUnconfirmedLines = 1000

/** What a line says about itself; nothing of it has been checked. */
export interface AuditLine {
  seq: number
  /** Unix time, ms. */
  time: number
  /** Hex, 64 digits. */
  hash: string
  /** Name of the event; absent for the use of a key. */
  event?: string
  /** What the hash is over, after the hash of the line before. */
  body: Uint8Array
}

const shape =
  /^\{"seq":([1-9]\d{0,14}),"time":(\d{1,15}),"(?:method|event":"(\w+))".*,"hash":"([0-9a-f]{64})"\}$/s
const hashMemberBytes = `,"hash":"${noHash}"}`.length

/** The parts of a line (without its newline); undefined when it has another form. */
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

/** The hash that a line must have after another one, hex. */
export function hashAfter(previousHash: string, body: Uint8Array): string {
  return createHash('sha256').update(Buffer.from(previousHash, 'hex')).update(body).digest('hex')
}

/** Whether a line continues another. */
export function continues(line: AuditLine, previous: Pick<AuditLine, 'seq' | 'hash'>): boolean {
  return line.seq === previous.seq + 1 && line.hash === hashAfter(previous.hash, line.body)
}

/** Members of a line; none when it is no JSON. */
export function membersOf(bytes: Buffer): Record<string, unknown> {
  try {
    return JSON.parse(bytes.toString('utf8')) as Record<string, unknown>
  } catch {
    return {}
  }
}
