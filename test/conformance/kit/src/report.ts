/**
 * The result of a run, for programs.
 * @module
 */
import type { AddressForm } from './address.ts'
import type { Profile } from './check.ts'

/** Raise it when checks are added, changed or removed. */
export const kitVersion = '1.1.0'

export type Status = 'passed' | 'failed' | 'skipped'

/** One check's outcome. */
export interface Row {
  id: string
  section: string
  title: string
  profile: Profile
  status: Status
  /** For a failed row: what was expected and found. For a skipped one: why. */
  detail?: { expected: string; found: string } | { why: string }
}

/** One run; the content of the JSON file. */
export interface Report {
  /** Name of the abstract socket. */
  bridge: string
  /** Version of the kit. */
  kit: string
  /** Version of the Node that ran it, and the form of the address that it sent. */
  node: string
  address: AddressForm
  /** ISO 8601. */
  started: string
  durationMs: number
  counts: Record<Status, number>
  rows: Row[]
}

/** The number of rows by status. */
export function countRows(rows: readonly Row[]): Record<Status, number> {
  const counts = { passed: 0, failed: 0, skipped: 0 }
  for (const { status } of rows) counts[status]++
  return counts
}
