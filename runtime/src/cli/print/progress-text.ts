/** Formats how far the preparation of an image is. @module */
import type { ImageProgress } from '@causeway/images'
import { megabytes } from './amounts.ts'

/** Formats a report as a line. */
export function progressText(progress: ImageProgress): string {
  const { phase, bytes, totalBytes, resumedBytes, entries, detail } = progress
  const parts = [
    phase.padEnd(8),
    bytes !== undefined && amount(bytes, totalBytes),
    resumedBytes !== undefined && `resumed at ${megabytes(resumedBytes)}`,
    entries !== undefined && `${entries} entries`,
    detail,
  ]
  return parts.filter(Boolean).join('  ')
}

function amount(bytes: number, totalBytes: number | undefined): string {
  if (totalBytes === undefined || totalBytes === 0) return megabytes(bytes)
  const percent = Math.floor((100 * bytes) / totalBytes)
  return `${String(percent).padStart(3)} %  ${megabytes(bytes)} of ${megabytes(totalBytes)}`
}
