/**
 * Opens a log's files, moves a broken file aside, and starts a new file when one is full.
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
import { orUndoNow } from '@causeway/service/failure'
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

/** Opens log and head, and cuts half a line off the log's end. */
export function openLogFiles(folder: string, end: ChainEnd, key: Uint8Array): LogFiles {
  const log = join(folder, logName)
  if (end.isBroken) putAside(folder, end.seq)
  const head = openHead(join(folder, headName), end, key)
  const open = () => {
    const fd = createPlain(log, appending)
    ftruncateSync(fd, end.logSize)
    return { log: fd, head }
  }
  return orUndoNow(open, () => closeSync(head))
}

/** Writes a head before the first line: without it an interrupted start looks like a cut log. */
function openHead(path: string, { isNew }: ChainEnd, key: Uint8Array): number {
  const fd = createPlain(path, constants.O_RDWR)
  if (isNew) writeSync(fd, formatHead({ seq: 0, oldest: 1, hash: noHash }, key), 0)
  // The file may be forged and longer; the record covers only its beginning.
  if (fstatSync(fd).size > headBytes) ftruncateSync(fd, headBytes)
  return fd
}

/** Keeps a file that does not match the head as evidence, unchanged, under a segment's name. */
function putAside(folder: string, lastSeq: number): void {
  const log = join(folder, logName)
  if (sizeOf(log) === 0) return
  renameSync(log, newSegmentPath(folder, firstSeqOf(log) ?? lastSeq))
}

/**
 * Starts a new file; the old one becomes a segment.
 * @returns descriptor of the new file, name of the old one
 */
export function startNextFile(folder: string): { fd: number; closed: string } {
  const log = join(folder, logName)
  const draft = join(folder, draftName)
  rmSync(draft, { force: true })
  const fd = createPlain(draft, appending)
  const rotate = () => {
    const segment = newSegmentPath(folder, firstSeqOf(log) ?? 1)
    exchange(log, segment, draft)
    return { fd, closed: basename(segment) }
  }
  return orUndoNow(rotate, () => closeSync(fd))
}

function exchange(log: string, segment: string, draft: string): void {
  renameSync(log, segment)
  orUndoNow(
    () => renameSync(draft, log),
    () => renameSync(segment, log),
  )
}

function sizeOf(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.size ?? 0
}

/** Checks that the open files still have their names. @throws Error naming the file */
export function checkInPlace(folder: string, { log, head }: LogFiles): void {
  for (const [fd, name] of [
    [log, logName],
    [head, headName],
  ] as const) {
    const [open, named] = [fstatSync(fd), statSync(join(folder, name), { throwIfNoEntry: false })]
    if (named?.ino === open.ino && named.dev === open.dev) continue
    throw new Error(`${name} was removed or replaced while the bridge runs: put it back`)
  }
}
