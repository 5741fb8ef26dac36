/**
 * How a step of a verification is told.
 * @module
 */
import { type Answer, type Lookup, printable } from '@causeway/service/dns'
import type { HostName } from './host-name.ts'
import type { VerificationFailure, VerificationStep } from './verification.ts'

/** What all steps of a verification work with. */
export interface StepContext {
  lookup: Lookup
  /** 32 bytes. */
  source: Uint8Array
  host: HostName
}

/** One step, and how long what it found holds. */
export interface StepResult {
  told: VerificationStep
  /** Infinity where it found nothing. */
  seconds: number
}

/** What stands in the way where records are missing. */
export interface MissingRecord {
  kind: VerificationFailure
  /** Begins the message, such as `the TXT record of _acu.example.org`. */
  what: string
  expected: string
}

type Failure = NonNullable<VerificationStep['failure']>

const shownRecords = 8

/** Nobody knows whether the records are there, or they are not. */
export function unanswered(
  { state, reason }: Exclude<Answer, { state: 'found' }>,
  { kind, what, expected }: MissingRecord,
): Failure {
  if (state === 'missing') return { kind, message: `${what} is missing: ${reason}`, expected }
  return { kind: 'RESOLVER_FAILED', message: `${what} could not be looked up: ${reason}` }
}

/** Records for people, and not too many. */
export function shown(data: readonly string[], most = shownRecords): string[] {
  const some = data.slice(0, most).map(printable)
  return data.length > most ? [...some, `and ${data.length - most} more`] : some
}
