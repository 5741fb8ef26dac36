/**
 * Where a deployment's audit log lies: `audit.log`, older lines in `audit-<first seq>.log`, and
 * `audit.head`, which says how far they go. Bridges of one deployment that run at the same time
 * have a log each, by number.
 * @module
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { labelPrefix } from '../../signer/labels.ts'
import type { DeploymentLabel } from '../../signer/backend.ts'

export const logName = 'audit.log'
export const headName = 'audit.head'

/** A file of older lines. */
export interface Segment {
  name: string
  /** Number of its first line. */
  firstSeq: number
}

/** Logs of one deployment, so bridges of it at the same time. */
export const maxLogs = 16

const nameHexDigits = 32
const seqDigits = 12
const segmentName = /^audit-(\d{12,16})\.log$/

/** The folder of a deployment's log, by number from 1; its id may hold what no file name can. */
export function auditFolder(folder: string, label: DeploymentLabel, number = 1): string {
  const digest = createHash('sha256').update(labelPrefix(label)).digest('hex')
  const name = digest.slice(0, nameHexDigits)
  return join(folder, number === 1 ? name : `${name}.${number}`)
}

/** Numbers of the logs that are there; the first one is always named. */
export function logNumbers(folder: string, label: DeploymentLabel): number[] {
  const numbers = Array.from({ length: maxLogs }, (_, index) => index + 1)
  return numbers.filter((number) => number === 1 || existsSync(auditFolder(folder, label, number)))
}

/** Oldest first; empty when there is no such folder. */
export function listSegments(folder: string): Segment[] {
  const segments = namesIn(folder).flatMap((name) => {
    const digits = segmentName.exec(name)?.[1]
    return digits === undefined ? [] : [{ name, firstSeq: Number(digits) }]
  })
  return segments.sort((a, b) => a.firstSeq - b.firstSeq)
}

/** Path for a segment; one that is there already keeps its name. */
export function newSegmentPath(folder: string, firstSeq: number): string {
  const path = join(folder, `audit-${String(firstSeq).padStart(seqDigits, '0')}.log`)
  return existsSync(path) ? newSegmentPath(folder, firstSeq + 1) : path
}

function namesIn(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return []
    throw error
  }
}
