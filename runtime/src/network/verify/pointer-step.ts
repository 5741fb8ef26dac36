/**
 * The step that checks whether an address's owner consents: its PTR, and the TXT record of the
 * PTR's target.
 * @module
 */
import type { AdmittedAddress } from '../../job-network/contract.ts'
import { checkClaim } from './claim-step.ts'
import type { HostAddress } from './address-step.ts'
import { claimName, ptrRecord } from '@causeway/service/protocol'
import { type Answer, isDomainName, isNumeric, reverseName } from '@causeway/service/dns'
import { shown, unanswered, type StepContext, type StepResult } from './step-result.ts'
import type { VerificationStep } from './verification.ts'

export interface AddressResult {
  steps: VerificationStep[]
  passed?: AdmittedAddress
}

/** How many PTR targets of an address are checked; the host itself comes first. */
const mostNames = 4

export async function checkAddress(
  context: StepContext,
  { address, seconds }: HostAddress,
): Promise<AddressResult> {
  const answer = await context.lookup(reverseName(address), 'PTR')
  const names = answer.state === 'found' ? usableNames(answer.data, context.host.name) : []
  const told = pointerStep(context.host.name, address, answer, names)
  if (answer.state !== 'found' || names.length === 0) return { steps: [told] }
  const claims = await Promise.all(names.map((name) => checkTarget(context, name, address)))
  const passing = claims.find((claim) => !claim.told.failure)
  const steps = [told, (passing ?? claims[0]!).told]
  if (!passing) return { steps }
  return { steps, passed: { address, seconds: Math.min(seconds, answer.seconds, passing.seconds) } }
}

function checkTarget(context: StepContext, written: string, address: string): Promise<StepResult> {
  const name = written.toLowerCase()
  // The host's own record may be over the host as the caller wrote it.
  const { host } = context
  const spellings = name === host.name ? host.spellings : [...new Set([name, written])]
  return checkClaim(context, { name, spellings, address })
}

/** Selects names that can be looked up: the server of the reverse zone may answer anything. */
function usableNames(data: readonly string[], host: string): string[] {
  const isHost = (name: string) => name.toLowerCase() === host
  const usable = data.filter((name) => isDomainName(claimName(name)) && !isNumeric(name))
  const others = usable.filter((name) => !isHost(name)).toSorted()
  return [...usable.filter(isHost), ...others].slice(0, mostNames)
}

function pointerStep(
  host: string,
  address: string,
  answer: Answer,
  names: readonly string[],
): VerificationStep {
  const failure = pointerFailure(host, address, answer, names)
  return {
    step: 'pointer',
    name: reverseName(address),
    type: 'PTR',
    address,
    found: answer.state === 'found' ? shown(answer.data) : [],
    ...(failure && { failure }),
  }
}

function pointerFailure(
  host: string,
  address: string,
  answer: Answer,
  names: readonly string[],
): VerificationStep['failure'] {
  const what = `the PTR record of ${address}, an address of ${host},`
  const record = { kind: 'PTR_MISSING', what, expected: ptrRecord(address, host) } as const
  if (answer.state !== 'found') return unanswered(answer, record)
  if (names.length > 0) return undefined
  const found = shown(answer.data, 3).map((name) => JSON.stringify(name))
  const message = `${what} contains no host name; found ${found.join(', ')}`
  return { kind: record.kind, message, expected: record.expected }
}
