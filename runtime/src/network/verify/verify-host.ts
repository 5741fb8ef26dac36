/**
 * Asks DNS whether a host, and the owners of its addresses, consent to be reached by the
 * deployments of an owner (runtime spec, `network_whitelist`).
 * @module
 */
import type { AdmittedAddress } from '../../job-network/contract.ts'
import { isPublicAddress } from '@causeway/service/egress'
import { findAddresses } from './address-step.ts'
import { checkClaim } from './claim-step.ts'
import { createDnsClient, type DnsClientOptions } from '@causeway/service/dns'
import { parseHostName } from './host-name.ts'
import { checkAddress, type AddressResult } from './pointer-step.ts'
import type { StepContext, StepResult } from './step-result.ts'
import type { Verification, VerificationStep, VerifyHost } from './verification.ts'

export interface VerifierOptions extends Partial<DnsClientOptions> {
  resolvers: DnsClientOptions['resolvers']
  /** Whether an address may be admitted at all; public ones by default. */
  allows?: (address: string) => boolean
  /** Continue after a failed claim, to show everything that is missing. */
  isExhaustive?: boolean
}

/** These bound how much work a job can cause on the host. */
const defaults = { tryMs: 1000, deadlineMs: 5000, maxQueries: 96, maxSockets: 256 }
// How long an entry of the whitelist is valid, whatever the records' TTL.
const [leastSeconds, mostSeconds] = [60, 3600]

export function createVerifier(options: VerifierOptions): VerifyHost {
  const { allows = isPublicAddress, isExhaustive = false } = options
  const client = createDnsClient({ ...defaults, ...options })
  return async (text, source, signal) => {
    const host = parseHostName(text)
    return client.lookUp(signal, (lookup) =>
      verify({ lookup, source, host }, { allows, isExhaustive }),
    )
  }
}

type Rules = Required<Pick<VerifierOptions, 'allows' | 'isExhaustive'>>

/** Takes three round trips, however many addresses there are. */
async function verify(
  context: StepContext,
  { allows, isExhaustive }: Rules,
): Promise<Verification> {
  const [claim, found] = await Promise.all([
    checkClaim(context, context.host),
    findAddresses(context, allows),
  ])
  const goesOn = isExhaustive || !claim.told.failure
  const addresses = goesOn ? found.admissible : []
  const results = await Promise.all(addresses.map((address) => checkAddress(context, address)))
  const steps = [claim.told, ...found.steps, ...results.flatMap((result) => result.steps)]
  const passed = claim.told.failure ? [] : results.flatMap((result) => withClaim(result, claim))
  const host = context.host.name
  if (passed.length > 0) return { host, steps, passed }
  return { host, steps, passed, failure: firstFailure(claim, results, steps) }
}

/** The result is valid as long as its shortest-lived record, within the bounds. */
function withClaim({ passed }: AddressResult, claim: StepResult): AdmittedAddress[] {
  if (!passed) return []
  const seconds = Math.min(passed.seconds, claim.seconds)
  return [{ ...passed, seconds: Math.min(mostSeconds, Math.max(leastSeconds, seconds)) }]
}

/**
 * The failure to report: the claim's, else an address's, which says more than an address that may
 * not be admitted anyway. A failed look-up comes first, because it leaves open what the owner says.
 */
function firstFailure(
  claim: StepResult,
  results: readonly AddressResult[],
  steps: readonly VerificationStep[],
): NonNullable<Verification['failure']> {
  const told = results.flatMap((result) => result.steps)
  const unknown = told.filter(({ failure: found }) => found?.kind === 'RESOLVER_FAILED')
  const inOrder = [claim.told, ...unknown, ...told, ...steps]
  const { failure, step, name } = inOrder.find((one) => one.failure)!
  return { ...failure!, step, name }
}
