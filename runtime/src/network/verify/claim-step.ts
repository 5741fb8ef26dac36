/**
 * The step that checks the owner's TXT record: of the host (forward) or a PTR's target (backward).
 * @module
 */
import type { Answer } from '@causeway/service/dns'
import { claimName, claimValue, txtRecord } from '@causeway/service/protocol'
import type { HostName } from './host-name.ts'
import { shown, unanswered, type StepContext, type StepResult } from './step-result.ts'
import type { VerificationStep } from './verification.ts'

/** The name to check, and the spellings that its owner may have hashed, the expected one first. */
export interface Claim extends HostName {
  /** The address whose PTR leads to the name; absent for the host itself. */
  address?: string
}

const forward = { step: 'claim', missing: 'TXT_MISSING', mismatch: 'TXT_MISMATCH' } as const
const backward = {
  step: 'counterclaim',
  missing: 'PTR_TXT_MISSING',
  mismatch: 'PTR_TXT_MISMATCH',
} as const

const nothing: { data: readonly string[]; seconds: number } = { data: [], seconds: Infinity }

export async function checkClaim(
  { lookup, source }: StepContext,
  { name, spellings, address }: Claim,
): Promise<StepResult> {
  const { step, missing, mismatch } = address === undefined ? forward : backward
  const answer = await lookup(claimName(name), 'TXT')
  const found = answer.state === 'found' ? answer : nothing
  const hashed = spellings.find((one) => found.data.includes(claimValue(source, one)))
  const spelling = hashed ?? spellings[0] ?? name
  const kinds = { missing, mismatch, expected: txtRecord(source, name, spelling) }
  const record = recordText(name, spelling, address)
  const failure = hashed === undefined ? claimFailure(answer, { ...kinds, record }) : undefined
  const told: VerificationStep = {
    step,
    name: claimName(name),
    type: 'TXT',
    spelling,
    ...(address !== undefined && { address }),
    found: shown(found.data),
    ...(failure && { failure }),
  }
  return { told, seconds: found.seconds }
}

function recordText(name: string, spelling: string, address: string | undefined): string {
  const spelled = spelling === name ? '' : ` for the spelling ${JSON.stringify(spelling)}`
  const backed = address === undefined ? '' : ` (the PTR of ${address} leads there)`
  return `the TXT record of ${claimName(name)}${spelled}${backed}`
}

interface ClaimKinds {
  missing: 'TXT_MISSING' | 'PTR_TXT_MISSING'
  mismatch: 'TXT_MISMATCH' | 'PTR_TXT_MISMATCH'
  record: string
  expected: string
}

function claimFailure(
  answer: Answer,
  { missing, mismatch, record, expected }: ClaimKinds,
): NonNullable<VerificationStep['failure']> {
  if (answer.state !== 'found') return unanswered(answer, { kind: missing, what: record, expected })
  const found = shown(answer.data, 3).map((text) => JSON.stringify(text))
  const message = `${record} is not the owner's; found ${found.join(', ')}`
  return { kind: mismatch, message, expected }
}
