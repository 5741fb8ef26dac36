/**
 * The head of an audit log: a record of its last line, authenticated with a key that only the host
 * has. Without it, a log that was cut at an end, or rehashed after an edit, would look intact.
 * @module
 */
import { createHmac, timingSafeEqual } from 'node:crypto'
import { readSync } from 'node:fs'
import { withPlain } from './files/plain-file.ts'

/** Size of the record. It is overwritten in place, so that it needs no space on a full disk. */
export const headBytes = 256

/** Number and hash (hex) of the last line; 0 and zeros when there is none. */
export interface HeadFacts {
  seq: number
  hash: string
}

/** Content of a head. */
export interface HeadRecord extends HeadFacts {
  /** Number of the oldest line that must exist; the limit removed the lines before it. */
  oldest: number
}

/** State of the head file. `forged`: not made with this key; `unchecked`: read without a key. */
export type Head =
  { state: 'missing' } | { state: 'forged' } | ({ state: 'authentic' | 'unchecked' } & HeadRecord)

const macLabel = 'causeway-audit-head/v1'
const shape =
  /^\{"seq":(\d{1,15}),"oldest":([1-9]\d{0,14}),"hash":"([0-9a-f]{64})","mac":"([0-9a-f]{64})"\} *\n$/

/** The record: JSON, padded with blanks, and a newline. */
export function formatHead(head: HeadRecord, key: Uint8Array): string {
  const mac = macOf(head, key).toString('hex')
  const { seq, oldest, hash } = head
  const json = `{"seq":${seq},"oldest":${oldest},"hash":"${hash}","mac":"${mac}"}`
  return `${json.padEnd(headBytes - 1)}\n`
}

/** Reads a head. An empty file counts as missing: an interrupted start leaves one. */
export function readHead(file: string, key: Uint8Array | undefined): Head {
  const text = contentOf(file)
  if (text === '') return { state: 'missing' }
  const found = shape.exec(text)
  if (!found) return { state: 'forged' }
  const head = { seq: Number(found[1]), oldest: Number(found[2]), hash: found[3]! }
  if (!key) return { state: 'unchecked', ...head }
  const isAuthentic = timingSafeEqual(macOf(head, key), Buffer.from(found[4]!, 'hex'))
  return isAuthentic ? { state: 'authentic', ...head } : { state: 'forged' }
}

function macOf({ seq, oldest, hash }: HeadRecord, key: Uint8Array): Buffer {
  const numbers = Buffer.alloc(16)
  numbers.writeBigUInt64BE(BigInt(seq))
  numbers.writeBigUInt64BE(BigInt(oldest), 8)
  const mac = createHmac('sha256', key).update(macLabel).update(numbers)
  return mac.update(Buffer.from(hash, 'hex')).digest()
}

function contentOf(file: string): string {
  const text = withPlain(file, (fd) => {
    const bytes = Buffer.alloc(headBytes + 1)
    return bytes.toString('latin1', 0, readSync(fd, bytes, 0, bytes.length, 0))
  })
  return text ?? ''
}
