/**
 * The files of an open log: puts a broken one aside, begins a new one when it has grown.
 * @module
 */
import {
  closeSync,
  constants,
  fstatSync,
  ftruncateSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import type { ChainEnd } from '../chain-end.ts'
import { headName, logName, newSegmentPath } from './folder.ts'
import { formatHead, headBytes } from '../head.ts'
import { noHash } from '../line.ts'
import { createPlain } from './plain-file.ts'
import { firstSeqOf } from './segments.ts'

/** Descriptors of the current file and the head. */
export interface LogFiles {
  log: number
  head: number
}

const appending = constants.O_WRONLY | constants.O_APPEND
const draftName = `${logName}.new`

/** Opens both; the log ends with a whole line then. */
export function openLogFiles(folder: string, end: ChainEnd, key: Uint8Array): LogFiles {
  const log = join(folder, logName)
  if (end.isBroken) putAside(folder, end.seq)
  const head = openHead(join(folder, headName), end, key)
  try {
    const fd = createPlain(log, appending)
    ftruncateSync(fd, end.logSize)
    return { log: fd, head }
  } catch (error) {
    closeSync(head)
    throw error
  }
}

/** Before the first line there is a head, or a start that is cut short would look like a cut log. */
function openHead(path: string, { isNew }: ChainEnd, key: Uint8Array): number {
  const fd = createPlain(path, constants.O_RDWR)
  if (isNew) writeSync(fd, formatHead({ seq: 0, oldest: 1, hash: noHash }, key), 0)
  // It may be anybody's file; the record covers only its beginning.
  if (fstatSync(fd).size > headBytes) ftruncateSync(fd, headBytes)
  return fd
}

/** A file that does not fit is evidence: it stays as it is, under a segment's name. */
function putAside(folder: string, lastSeq: number): void {
  const log = join(folder, logName)
  if (sizeOf(log) === 0) return
  renameSync(log, newSegmentPath(folder, firstSeqOf(log) ?? lastSeq))
}

/**
 * Begins a new file; the old one becomes a segment.
 * @returns descriptor of the new one, name of the old one
 */
export function startNextFile(folder: string): { fd: number; closed: string } {
  const log = join(folder, logName)
  const draft = join(folder, draftName)
  rmSync(draft, { force: true })
  const fd = createPlain(draft, appending)
  try {
    const segment = newSegmentPath(folder, firstSeqOf(log) ?? 1)
    exchange(log, segment, draft)
    return { fd, closed: basename(segment) }
  } catch (error) {
    closeSync(fd)
    throw error
  }
}

function exchange(log: string, segment: string, draft: string): void {
  renameSync(log, segment)
  try {
    renameSync(draft, log)
  } catch (error) {
    renameSync(segment, log)
    throw error
  }
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Whether what is written still is what lies under the names. @throws Error naming the file */
export function checkInPlace(folder: string, { log, head }: LogFiles): void {
  for (const [fd, name] of [
    [log, logName],
    [head, headName],
  ] as const) {
    const [open, named] = [fstatSync(fd), statSync(join(folder, name), { throwIfNoEntry: false })]
    if (named?.ino === open.ino && named.dev === open.dev) continue
    throw new Error(`${name} was removed or exchanged under the running bridge: put it back`)
  }
}
