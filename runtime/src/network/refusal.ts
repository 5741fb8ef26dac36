/** The errors that refuse a call of `network_whitelist`. @module */
import { RpcError } from '../bridge/errors.ts'
import type { Verification, VerificationStep } from './verify/verification.ts'

/** Bytes of the accounts that hosts consent to. */
const accountBytes = 32

/** DNS answered that a host does not consent. */
export class Refusal extends RpcError {
  /** Whether the host might consent if the caller had written it in other letter case. */
  readonly isOfSpelling: boolean

  constructor(isOfSpelling: boolean, ...rest: ConstructorParameters<typeof RpcError>) {
    super(...rest)
    this.isOfSpelling = isOfSpelling
  }
}

/** The error for a verification that no address passed: a Refusal, if DNS answered. */
export function refusalOf({ steps, failure }: Verification): RpcError {
  if (!failure) throw new TypeError('a verification that passed is no refusal')
  const { kind, message, expected, step, name } = failure
  const failed = steps.find((one) => one.failure?.kind === kind && one.name === name)
  const { address, spelling, found = [] } = failed ?? {}
  const options = {
    ...(expected !== undefined && { hint: `publish ${expected}` }),
    details: {
      step,
      name,
      found,
      ...(expected !== undefined && { expected }),
      ...(address !== undefined && { address }),
      ...(spelling !== undefined && { spelling }),
    },
  }
  // No reply from DNS is not a refusal; the caller may retry at once.
  if (kind === 'RESOLVER_FAILED') return new RpcError(kind, message, options)
  return new Refusal(steps.some(isMismatch), kind, message, options)
}

/** Whether a record did not match; missing records are missing in any letter case. */
function isMismatch({ failure }: VerificationStep): boolean {
  return failure?.kind === 'TXT_MISMATCH' || failure?.kind === 'PTR_TXT_MISMATCH'
}

/** @throws RpcError FAILED_PRECONDITION when no host can consent to a deployment of this owner */
export function checkSource(source: Uint8Array): void {
  if (source.length === accountBytes) return
  throw new RpcError(
    'FAILED_PRECONDITION',
    `network_whitelist: expected the deployment's origin.source to be an account of ${accountBytes} bytes, found ${source.length} bytes`,
    { details: { field: 'origin.source', bytes: source.length } },
  )
}

/** The error when a deployment has as many hosts or addresses admitted as it may. */
export function tooManyAdmitted(what: string, limit: number): RpcError {
  const hint = 'one is removed when its owner removes a record, and all when the job ends'
  return new RpcError('LIMIT_EXCEEDED', `too many ${what} whitelisted (limit ${limit})`, {
    hint,
    details: { limit },
  })
}

/** The error for a call that has waited too long for other verifications of its deployment. */
export function tooManyAtOnce(limit: number): RpcError {
  return new RpcError(
    'LIMIT_EXCEEDED',
    `too many hosts are being verified (limit ${limit} at once)`,
    {
      details: { limit },
      retryAfterMs: 1000,
    },
  )
}
