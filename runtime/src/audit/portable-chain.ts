/**
 * The audit chain in JavaScript: for hosts without the native signer, and as a reference in tests.
 * It writes the same bytes as `createAuditChain` of the native package.
 * @module
 */
import { createHash } from 'node:crypto'
import { ftruncateSync, writeSync } from 'node:fs'
import type { AuditChain, AuditChainFiles, AuditChainOptions, AuditUse } from '@causeway/native'
import { formatHead } from './head.ts'
import { hashAfter } from './line.ts'

const maxPendingBytes = 1024 * 1024
const maxPathLength = 128
const headIntervalMs = 5
const noPathCharacter = /[^m/\d'hH]/g

/** Lines that are not written yet. */
interface Pending {
  lines: string[]
  bytes: number
}

export function createPortableChain(options: AuditChainOptions): AuditChain {
  const key = Buffer.from(options.key)
  const pending: Pending = { lines: [], bytes: 0 }
  const writer = createWriter(pending, (fd) =>
    writeSync(fd, formatHead({ seq, oldest, hash }, key), 0, 'latin1'),
  )
  let { seq } = options
  let oldest = 1
  let hash = Buffer.from(options.hash).toString('hex')
  const add = (time: number, members: string) => {
    if (pending.bytes >= maxPendingBytes) return false
    const body = `{"seq":${++seq},"time":${time},${members}`
    hash = hashAfter(hash, Buffer.from(body))
    const line = `${body},"hash":"${hash}"}\n`
    pending.lines.push(line)
    pending.bytes += Buffer.byteLength(line)
    return true
  }
  return {
    get seq() {
      return seq
    },
    useFiles: writer.useFiles,
    setOldest: (first) => {
      oldest = first
    },
    append: (time, use) => add(time, membersOf(use)),
    appendEvent: (time, event) => add(time, JSON.stringify(event).slice(1, -1)),
    commit: writer.commit,
    get isHeadBehind() {
      return writer.isHeadBehind
    },
    destroy: () => key.fill(0),
  }
}

function membersOf({ method, curve, path, input, pid, outcome }: AuditUse): string {
  const members = [`"method":"${method}","curve":"${curve}"`]
  if (path !== undefined) members.push(`"path":"${shownPath(path)}"`)
  if (input) members.push(`"sha256":"${createHash('sha256').update(input).digest('hex')}"`)
  members.push(`"pid":${pid}`)
  if (outcome !== undefined) members.push(`"outcome":"${outcome}"`)
  return members.join(',')
}

/** Sanitises a path, which is a job's text: it must not end the JSON string. */
function shownPath(path: string): string {
  const bytes = Buffer.from(path.slice(0, maxPathLength), 'latin1')
  return bytes.toString('latin1').replaceAll(noPathCharacter, '?')
}

/** Writes all pending lines or none. */
function createWriter(
  pending: Pending,
  writeHead: (fd: number) => void,
): Pick<AuditChain, 'useFiles' | 'commit' | 'isHeadBehind'> {
  let files: AuditChainFiles = { logFd: -1, headFd: -1, logSize: 0 }
  let isHeadBehind = false
  let headWrittenAt = -Infinity
  let isTorn = false
  const cutTornLine = () => {
    if (isTorn) ftruncateSync(files.logFd, files.logSize)
    isTorn = false
  }
  const writeLog = () => {
    cutTornLine()
    const bytes = Buffer.from(pending.lines.join(''))
    try {
      for (let at = 0; at < bytes.length; isTorn = true) at += writeSync(files.logFd, bytes, at)
    } catch (error) {
      cutTornLine()
      throw error
    }
    isTorn = false
    isHeadBehind = true
    files.logSize += bytes.length
    Object.assign(pending, { lines: [], bytes: 0 })
  }
  return {
    useFiles(next) {
      files = { ...next }
      isTorn = false
    },
    get isHeadBehind() {
      return isHeadBehind
    },
    commit(confirms = false) {
      if (pending.bytes > 0) writeLog()
      if (!isHeadBehind) return files.logSize
      const now = performance.now()
      if (!confirms && now - headWrittenAt < headIntervalMs) return files.logSize
      writeHead(files.headFd)
      headWrittenAt = now
      isHeadBehind = false
      return files.logSize
    },
  }
}
