/**
 * Writes an audit log: lines go to the chain and the current file, or a new one when it is full.
 * @module
 */
import { createAuditChain, type AuditChain, type AuditUse } from '@causeway/native'
import { errorCodes, signingCurves } from '@causeway/guest-sdk/protocol'
import type { Logger } from '@causeway/service/log'
import type { ChainEnd } from './chain-end.ts'
import { checkInPlace, openLogFiles, startNextFile } from './files/log-files.ts'
import { createPortableChain } from './portable-chain.ts'
import { ownSegments, removeSegments } from './files/segments.ts'
import { createSync } from './files/sync.ts'

/** Methods that use a key. */
export const auditedMethods = [
  'signer_publicKey',
  'signer_sign',
  'signer_encrypt',
  'signer_decrypt',
] as const

export interface WriterOptions {
  /** Key of the head's MAC, 32 bytes; copied. */
  key: Uint8Array
  /** The chain's implementation; both write the same bytes. */
  backend: 'native' | 'portable'
  /** A file of this size becomes a segment. */
  maxSegmentBytes: number
  /** Most segments beside the current file, at least 1. */
  maxSegments: number
  log: Logger
  /** Unix time, ms. */
  now?: () => number
}

/** Writes lines; `append` and `appendEvent` return false when the queue is full. */
export interface LogWriter {
  append(use: AuditUse): boolean
  appendEvent(event: Readonly<Record<string, unknown>>): boolean
  /** @throws SystemError; then all lines stay pending */
  commit(): void
  /** Closes the files and zeroes the key. */
  close(): void
}

const words = [...auditedMethods, ...signingCurves, ...Object.keys(errorCodes)]
const createChain = { native: createAuditChain, portable: createPortableChain }

/** Opens the files of a log and continues after `end`. */
export function openWriter(folder: string, end: ChainEnd, options: WriterOptions): LogWriter {
  const { key, maxSegmentBytes, log } = options
  // A line cannot have a time before 1970.
  const clock = options.now ?? Date.now
  const now = () => Math.max(0, clock())
  // Uses that are written in one commit share one time.
  let time: number | undefined
  const { seq, hash, logSize } = end
  const chain = createChain[options.backend]({ words, key, seq, hash: Buffer.from(hash, 'hex') })
  chain.setOldest(end.oldest)
  const files = openLogFiles(folder, end, key)
  const sync = createSync(files, log)
  const rotate = () => {
    const old = files.log
    const { fd, closed } = startNextFile(folder)
    files.log = fd
    sync.retire(old)
    chain.useFiles({ logFd: files.log, headFd: files.head, logSize: 0 })
    announceAndRemove({ folder, closed, chain, maxSegments: options.maxSegments, time: now() })
  }
  chain.useFiles({ logFd: files.log, headFd: files.head, logSize })
  const check = everySoOften(() => checkInPlace(folder, files))
  let confirmation: NodeJS.Timeout | undefined
  const confirm = () => {
    confirmation = undefined
    try {
      chain.commit(true)
    } catch {
      // The next commit fails with the same error, and reports it.
    }
  }
  return {
    append: (use) => chain.append((time ??= now()), use),
    appendEvent: (event) => chain.appendEvent(now(), event),
    commit() {
      time = undefined
      check()
      if (chain.commit() >= maxSegmentBytes) rotate()
      if (chain.isHeadBehind) confirmation ??= setTimeout(confirm, confirmationDelayMs).unref()
      sync.touch()
    },
    close() {
      clearTimeout(confirmation)
      confirm()
      sync.close()
      chain.destroy()
    },
  }
}

const checkIntervalMs = 1000
const confirmationDelayMs = 5

/** Calls `check` at most once a second; after an error, every time until it passes. */
function everySoOften(check: () => void): () => void {
  let checkedAt = -Infinity
  return () => {
    const now = performance.now()
    if (now - checkedAt < checkIntervalMs) return
    check()
    checkedAt = now
  }
}

interface Rotation {
  folder: string
  /** Name of the segment that was the current file. */
  closed: string
  chain: AuditChain
  maxSegments: number
  time: number
}

/** The head records the removal first: otherwise the removed lines would count as missing. */
function announceAndRemove({ folder, closed, chain, maxSegments, time }: Rotation): void {
  const segments = ownSegments(folder, closed)
  const old = segments.slice(0, Math.max(0, segments.length - maxSegments))
  const first = segments[old.length]
  if (old.length > 0 && first) chain.setOldest(first.firstSeq)
  chain.appendEvent(time, { event: 'rotated', removed: old.length })
  chain.commit(true)
  removeSegments(folder, old)
}
