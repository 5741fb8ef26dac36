/** The verification of a host and its result (runtime spec, `network_whitelist`). @module */
import type { AdmittedAddress } from '../../job-network/contract.ts'
import type { ErrorKind } from '@causeway/guest-sdk/protocol'

/** How a verification fails: error kinds of the bridge. */
export type VerificationFailure = Extract<
  ErrorKind,
  | 'TXT_MISSING'
  | 'TXT_MISMATCH'
  | 'NO_ADDRESS'
  | 'PTR_MISSING'
  | 'PTR_TXT_MISSING'
  | 'PTR_TXT_MISMATCH'
  | 'RESOLVER_FAILED'
>

/** One query of a verification and its result, in the order of the spec. */
export interface VerificationStep {
  /** `claim`: TXT of the host; `address`: its A and AAAA; `pointer`: PTR of an address; `counterclaim`: TXT of its target. */
  step: 'claim' | 'address' | 'pointer' | 'counterclaim'
  /** The name that was asked for, without a final dot. */
  name: string
  type: 'TXT' | 'A' | 'AAAA' | 'PTR'
  /** Of a claim: the spelling of the host that the record is over, or should be over. */
  spelling?: string
  /** The address that the step checks, if it checks one. */
  address?: string
  /** Record data found, as text for people; shortened where there is much. */
  found: readonly string[]
  /** Absent when the step passed. */
  failure?: {
    kind: VerificationFailure
    /** One sentence: step, name, what was found. */
    message: string
    /** The exact record to publish, in the form of a zone file; absent where none would help. */
    expected?: string
  }
}

export interface Verification {
  /** The name that was looked up: A-labels in lower case, no final dot. */
  host: string
  steps: readonly VerificationStep[]
  /** Addresses that passed. */
  passed: readonly AdmittedAddress[]
  /** Why no address passed; absent exactly when one did. */
  failure?: NonNullable<VerificationStep['failure']> & {
    step: VerificationStep['step']
    name: string
  }
}

/**
 * Asks DNS whether a host consents to be reached by a deployment of this owner.
 * @param source 32 bytes, the owner's account
 * @throws RpcError BAD_HOST, or the signal's reason
 */
export type VerifyHost = (
  host: string,
  source: Uint8Array,
  signal?: AbortSignal,
) => Promise<Verification>
