/**
 * The lines of an audit log: formatted, hashed and written below JavaScript, because they are a
 * part of every call that uses a key.
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
  /** Derivation path; goes into the line without what no path is made of, at most 128 characters. */
  path?: string | undefined
  /** Bytes whose SHA-256 goes into the line. */
  input?: Uint8Array | undefined
  /** Process that asked. */
  pid: number
  /** Kind of the error, when it failed. */
  outcome?: string | undefined
}

export interface AuditChainOptions {
  /** Every method, curve and outcome that can occur: letters, digits, `_`, `-`. */
  words: readonly string[]
  /** Key of the head's MAC, 32 bytes; copied. */
  key: Uint8Array
  /** Number of the last line, 0 when there is none. */
  seq: number
  /** Its hash, 32 bytes; zeros when there is none. */
  hash: Uint8Array
}

/** The files of a log and what the log holds of whole lines, bytes. */
export interface AuditChainFiles {
  logFd: number
  headFd: number
  logSize: number
}

/** Lines that continue each other. Time is Unix time in ms. */
export interface AuditChain {
  /** Number of the last line, written or pending. */
  readonly seq: number
  useFiles(files: AuditChainFiles): void
  /** Number of the oldest line that is still kept, 1 by default; the next head says so. */
  setOldest(seq: number): void
  /** Adds a line to those pending; false when there is no room for more. */
  append(time: number, use: AuditUse): boolean
  /** Adds the line of an event; `event` is its JSON object. */
  appendEvent(time: number, event: Readonly<Record<string, unknown>>): boolean
  /**
   * Writes what is pending in one write(2), then the head, if the last one is 5 ms old.
   * @param confirms writes the head whenever it is behind
   * @returns the log's size
   * @throws SystemError; then the log ends with a whole line, and all stays pending
   */
  commit(confirms?: boolean): number
  /** Whether lines have been written that the head does not cover yet. */
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

// Places in `fields`, as in audit-chain.cc.
const timeField = 0
const pidField = 1
const methodField = 2
const curveField = 3
const outcomeField = 4
const logSizeField = 5
const headBehindField = 6
const pendingBytesField = 7
// Of a use that is queued.
const queueFields = 5
const inputStride = 64
const maxQueued = 256
// What the chain keeps while the disk is full, and more than a line without a path.
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
      // The usual ones go together: they cost half as much then.
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

/** `TypedArray.set` takes ten times as long for so few bytes. */
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
