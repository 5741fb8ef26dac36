/**
 * What a verification of a host found, as a test wants it, and a network that says what it was told.
 * @module
 */
import { createAdmissions, type Admissions } from '../../runtime/src/network/admissions.ts'
import type { AdmittedAddress } from '../../runtime/src/job-network/contract.ts'
import { recordingLog } from './recording-log.ts'
import type {
  Verification,
  VerificationFailure,
  VerificationStep,
} from '../../runtime/src/network/verify/verification.ts'

/** One that passed, by default with one address for a minute. */
export function passing(
  host: string,
  passed: readonly AdmittedAddress[] = [{ address: '192.0.2.1', seconds: 60 }],
): Verification {
  const claim: VerificationStep = {
    step: 'claim',
    name: `_acu.${host}`,
    type: 'TXT',
    found: ['v=ok'],
  }
  return { host, steps: [claim], passed }
}

const stepOf: Record<VerificationFailure, VerificationStep['step']> = {
  TXT_MISSING: 'claim',
  TXT_MISMATCH: 'claim',
  NO_ADDRESS: 'address',
  PTR_MISSING: 'pointer',
  PTR_TXT_MISSING: 'counterclaim',
  PTR_TXT_MISMATCH: 'counterclaim',
  RESOLVER_FAILED: 'claim',
}

/** One that failed in the step of its kind. */
export function failing(host: string, kind: VerificationFailure): Verification {
  const step = stepOf[kind]
  const isReverse = step === 'pointer' || step === 'counterclaim'
  const name =
    step === 'claim' ? `_acu.${host}` : step === 'counterclaim' ? `_acu.ptr.${host}` : host
  const message = `${name}: expected a record, found none`
  const failure = {
    kind,
    message,
    ...(kind !== 'RESOLVER_FAILED' && { expected: `${name}. 300 IN TXT "v=abc="` }),
  }
  const found: VerificationStep = {
    step,
    name,
    type: 'TXT',
    ...(isReverse && { address: '192.0.2.1' }),
    found: [],
    failure,
  }
  return { host, steps: [found], passed: [], failure: { ...failure, step, name } }
}

export interface RecordingNetwork {
  admit(addresses: readonly AdmittedAddress[]): Promise<void>
  revoke(addresses: readonly string[]): Promise<void>
  /** `admit ADDRESS SECONDS` and `revoke ADDRESS`, in order. */
  calls: string[]
}

export function recordingNetwork(): RecordingNetwork {
  const calls: string[] = []
  return {
    calls,
    async admit(addresses) {
      for (const { address, seconds } of addresses) calls.push(`admit ${address} ${seconds}`)
    },
    async revoke(addresses) {
      for (const address of addresses) calls.push(`revoke ${address}`)
    },
  }
}

/** Admissions of a DNS in which this host alone consents, and others have no record. */
export function consenting(host: string): Admissions {
  return createAdmissions({
    verifyHost: async (asked) => (asked === host ? passing(host) : failing(asked, 'TXT_MISSING')),
    network: recordingNetwork(),
    source: new Uint8Array(32),
    log: recordingLog().log,
  })
}
