/** The result of a verification's step, and the texts for its failures. @module */
import { type Answer, type Lookup, printable } from '@causeway/service/dns'
import type { HostName } from './host-name.ts'
import type { VerificationFailure, VerificationStep } from './verification.ts'

/** The input of every step of a verification. */
export interface StepContext {
  lookup: Lookup
  /** 32 bytes. */
  source: Uint8Array
  host: HostName
}

/** One step, and how long the records that it found are valid. */
export interface StepResult {
  told: VerificationStep
  /** Infinity where it found nothing. */
  seconds: number
}

/** The failure to report when records are missing. */
export interface MissingRecord {
  kind: VerificationFailure
  /** Begins the message, such as `the TXT record of _acu.example.org`. */
  what: string
  expected: string
}

type Failure = NonNullable<VerificationStep['failure']>

const shownRecords = 8

/** The failure of a look-up: the records are missing, or no resolver answered. */
export function unanswered(
  { state, reason }: Exclude<Answer, { state: 'found' }>,
  { kind, what, expected }: MissingRecord,
): Failure {
  if (state === 'missing') return { kind, message: `${what} is missing: ${reason}`, expected }
  return { kind: 'RESOLVER_FAILED', message: `${what} could not be looked up: ${reason}` }
}

/** Printable records for people, at most `most`. */
export function shown(data: readonly string[], most = shownRecords): string[] {
  const some = data.slice(0, most).map(printable)
  return data.length > most ? [...some, `and ${data.length - most} more`] : some
}
