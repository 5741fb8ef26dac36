/**
 * Files of a deployment's audit log: `audit.log`, older lines in `audit-<first seq>.log`, and
 * `audit.head`, which records the last line. Bridges of one deployment that run at the same time
 * each have a numbered log.
 * @module
 */
import { createHash } from 'node:crypto'
import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { ifThere } from '@causeway/service/failure'
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

/** Most logs of one deployment, and so most bridges at the same time. */
export const maxLogs = 16

const nameHexDigits = 32
const seqDigits = 12
const segmentName = /^audit-(\d{12,16})\.log$/

/** Folder of a deployment's log, numbered from 1. A hash names it: ids may have any characters. */
export function auditFolder(folder: string, label: DeploymentLabel, number = 1): string {
  const digest = createHash('sha256').update(labelPrefix(label)).digest('hex')
  const name = digest.slice(0, nameHexDigits)
  return join(folder, number === 1 ? name : `${name}.${number}`)
}

/** Numbers of the existing logs, and always 1. */
export function logNumbers(folder: string, label: DeploymentLabel): number[] {
  const numbers = Array.from({ length: maxLogs }, (_, index) => index + 1)
  return numbers.filter((number) => number === 1 || existsSync(auditFolder(folder, label, number)))
}

/** Older files of a log, oldest first; empty when the folder does not exist. */
export function listSegments(folder: string): Segment[] {
  const names = ifThere(() => readdirSync(folder)) ?? []
  const segments = names.flatMap((name) => {
    const digits = segmentName.exec(name)?.[1]
    return digits === undefined ? [] : [{ name, firstSeq: Number(digits) }]
  })
  return segments.sort((a, b) => a.firstSeq - b.firstSeq)
}

/** A free path for a segment; never that of an existing file. */
export function newSegmentPath(folder: string, firstSeq: number): string {
  const path = join(folder, `audit-${String(firstSeq).padStart(seqDigits, '0')}.log`)
  return existsSync(path) ? newSegmentPath(folder, firstSeq + 1) : path
}
