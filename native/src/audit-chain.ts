/**
 * Formats, hashes and writes the lines of an audit log in native code, because every call that uses
 * a key pays for it.
 *
 * @module
 */
import { checkDescriptor, checkInteger } from './arguments.ts'
import { loadAddon } from './load-addon.ts'
import { checked } from './system-error.ts'

/** One use of a key. */
export interface AuditUse {
  /** Name of the bridge's method. */
  method: string
  curve: string
  /** Derivation path; the line gets its valid characters, at most 128 of them. */
  path?: string | undefined
  /** Bytes whose SHA-256 is logged: the signed ones, or the ciphertext. */
  input?: Uint8Array | undefined
  /** The calling process. */
  pid: number
  /** Kind of the error, if the call failed. */
  outcome?: string | undefined
}

export interface AuditChainOptions {
  /** Every method, curve and outcome that can occur: letters, digits, `_`, `-`. */
  words: readonly string[]
  /** Key of the head's MAC, 32 bytes; copied. */
  key: Uint8Array
  /** Number of the last line, 0 when there is none. */
  seq: number
  /** Hash of that line, 32 bytes; zeros when there is none. */
  hash: Uint8Array
}

/** The files of a log, and the size of its complete lines in bytes. */
export interface AuditChainFiles {
  logFd: number
  headFd: number
  logSize: number
}

/** A chain of log lines. Time is Unix time in ms. */
export interface AuditChain {
  /** Number of the last line, written or pending. */
  readonly seq: number
  useFiles(files: AuditChainFiles): void
  /** Sets the number of the oldest kept line, 1 by default; the next head includes it. */
  setOldest(seq: number): void
  /** Adds a line to the pending ones; false when there is no room for more. */
  append(time: number, use: AuditUse): boolean
  /** Adds the line of an event, which is the JSON object `event`. */
  appendEvent(time: number, event: Readonly<Record<string, unknown>>): boolean
  /**
   * Writes all pending lines in one write(2), then the head if the last one is 5 ms old.
   * @param confirms writes the head whenever it is behind
   * @returns the log's size
   * @throws SystemError; then the log ends with a complete line, and all lines stay pending
   */
  commit(confirms?: boolean): number
  /** Whether the log has lines that the head does not cover yet. */
  readonly isHeadBehind: boolean
  /** Zeroes the key; the object must not be used again. */
  destroy(): void
}

interface NativeAuditChain {
  append(input: Uint8Array | undefined, path: string | undefined): boolean
  appendQueued(count: number): void
  appendEvent(members: string): boolean
  useFiles(logFd: number, headFd: number): void
  setOldest(seq: number): void
  commit(confirms: boolean, count: number): number
  destroy(): void
}

interface AuditAddon {
  AuditChain: new (
    words: readonly string[],
    key: Uint8Array,
    seq: number,
    hash: Uint8Array,
    fields: Float64Array,
    queue: Float64Array,
    inputs: Uint8Array,
  ) => NativeAuditChain
}

// Indexes of `fields`, as in audit-chain.cc.
const timeField = 0
const pidField = 1
const methodField = 2
const curveField = 3
const outcomeField = 4
const logSizeField = 5
const headBehindField = 6
const pendingBytesField = 7
// Numbers, and bytes of input, for each queued use.
const queueFields = 5
const inputStride = 64
const maxQueued = 256
// Limit of what is kept while the disk is full; more than a line without a path.
const maxPendingBytes = 1024 * 1024
const maxLineBytes = 512
const none = -1
const plainWord = /^[\w-]+$/

/** @throws Error with code `ERR_NATIVE_NOT_BUILT` when the addon is missing or does not load */
export function createAuditChain(options: AuditChainOptions): AuditChain {
  const { words } = options
  const fields = new Float64Array(8)
  const queue = new Float64Array(queueFields * maxQueued)
  const inputs = new Uint8Array(inputStride * maxQueued)
  const chain = openChain(options, fields, queue, inputs)
  let queued = 0
  const indexes = new Map(words.map((word, index) => [word, index]))
  const indexOf = (word: string) => indexes.get(word) ?? unknownWord(word)
  let { seq } = options
  const counted = (isAdded: boolean) => {
    if (isAdded) seq++
    return isAdded
  }
  const flush = () => {
    if (queued > 0) chain.appendQueued(queued)
    queued = 0
  }
  const hasRoom = () =>
    queued < maxQueued && fields[pendingBytesField]! + (queued + 1) * maxLineBytes < maxPendingBytes
  const enqueue = (time: number, use: AuditUse, input: Uint8Array) => {
    const at = queueFields * queued
    queue[at] = time
    queue[at + 1] = use.pid
    queue[at + 2] = indexOf(use.method)
    queue[at + 3] = indexOf(use.curve)
    queue[at + 4] = input.length
    copyBytes(input, inputs, inputStride * queued)
    queued++
    seq++
    return true
  }
  return {
    get seq() {
      return seq
    },
    useFiles({ logFd, headFd, logSize }) {
      checkDescriptor(logFd, 'logFd')
      checkDescriptor(headFd, 'headFd')
      fields[logSizeField] = logSize
      chain.useFiles(logFd, headFd)
    },
    setOldest(oldest) {
      checkInteger(oldest, 'oldest', 1, Number.MAX_SAFE_INTEGER)
      chain.setOldest(oldest)
    },
    append(time, use) {
      const { input } = use
      // Short inputs are queued and handed over together, which halves their cost.
      if (input && input.length <= inputStride && isPlain(use) && hasRoom())
        return enqueue(time, use, input)
      flush()
      fields[timeField] = time
      fields[pidField] = use.pid
      fields[methodField] = indexOf(use.method)
      fields[curveField] = indexOf(use.curve)
      fields[outcomeField] = use.outcome === undefined ? none : indexOf(use.outcome)
      return counted(chain.append(use.input, use.path))
    },
    appendEvent(time, event) {
      flush()
      fields[timeField] = time
      return counted(chain.appendEvent(JSON.stringify(event).slice(1, -1)))
    },
    commit(confirms = false) {
      const count = queued
      queued = 0
      return checked('write', chain.commit(confirms, count))
    },
    get isHeadBehind() {
      return fields[headBehindField] === 1
    },
    destroy: () => chain.destroy(),
  }
}

/** Copies byte by byte: for so few bytes `TypedArray.set` takes ten times as long. */
function copyBytes(from: Uint8Array, into: Uint8Array, offset: number): void {
  for (let index = 0; index < from.length; index++) into[offset + index] = from[index]!
}

function isPlain({ path, outcome }: AuditUse): boolean {
  return path === undefined && outcome === undefined
}

function openChain(
  options: AuditChainOptions,
  fields: Float64Array,
  queue: Float64Array,
  inputs: Uint8Array,
): NativeAuditChain {
  const { words, key, seq, hash } = options
  const bad = words.find((word) => !plainWord.test(word))
  if (bad !== undefined) throw new TypeError(`words must be plain, got ${JSON.stringify(bad)}`)
  checkInteger(key.length, 'key.length', 32, 32)
  checkInteger(hash.length, 'hash.length', 32, 32)
  checkInteger(seq, 'seq', 0, Number.MAX_SAFE_INTEGER)
  const { AuditChain } = loadAddon<AuditAddon>('bridge_signer.node')
  return new AuditChain(words, key, seq, hash, fields, queue, inputs)
}

function unknownWord(word: string): never {
  throw new TypeError(`${JSON.stringify(word)} is none of the chain's words`)
}
