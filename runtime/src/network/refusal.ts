/**
 * What a caller of `network_whitelist` is refused with.
 * @module
 */
import { RpcError } from '../bridge/errors.ts'
import type { Verification, VerificationStep } from './verify/verification.ts'

/** Bytes of the accounts that hosts consent to. */
const accountBytes = 32

/** DNS said that a host does not consent. */
export class Refusal extends RpcError {
  /** Whether it might, had the caller written the host in other letters. */
  readonly isOfSpelling: boolean

  constructor(isOfSpelling: boolean, ...rest: ConstructorParameters<typeof RpcError>) {
    super(...rest)
    this.isOfSpelling = isOfSpelling
  }
}

/** What a caller is told of a verification that no address passed: a Refusal, if DNS said anything. */
export function refusalOf({ steps, failure }: Verification): RpcError {
  if (!failure) throw new TypeError('a verification that passed is no refusal')
  const { kind, message, expected, step, name } = failure
  const failed = steps.find((one) => one.failure?.kind === kind && one.name === name)
  const { address, found = [] } = failed ?? {}
  const options = {
    ...(expected !== undefined && { hint: `publish ${expected}` }),
    details: {
      step,
      name,
      found,
      ...(expected !== undefined && { expected }),
      ...(address !== undefined && { address }),
    },
  }
  // That DNS said nothing is no answer, and worth another try at once.
  if (kind === 'RESOLVER_FAILED') return new RpcError(kind, message, options)
  return new Refusal(steps.some(isMismatch), kind, message, options)
}

/** Records that are missing are missing in whatever letters. */
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

/** What one deployment may have admitted, hosts or addresses, is used up. */
export function tooManyAdmitted(what: string, limit: number): RpcError {
  const hint = 'one goes when its owner takes a record back, and all with the job'
  return new RpcError('LIMIT_EXCEEDED', `too many ${what} whitelisted (limit ${limit})`, {
    hint,
    details: { limit },
  })
}

/** Each verification of a deployment takes its time, and its calls have waited for theirs. */
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
