/**
 * The step that looks up a host's addresses, and selects those that may be admitted at all.
 * @module
 */
import { addressRecord } from '@causeway/service/protocol'
import { shown, unanswered, type StepContext } from './step-result.ts'
import type { VerificationStep } from './verification.ts'

/** An address of the host. */
export interface HostAddress {
  /** Canonical text. */
  address: string
  /** Time to live of its record. */
  seconds: number
}

export interface HostAddresses {
  steps: VerificationStep[]
  /** The addresses to verify: the first ones that may be admitted, IPv4 before IPv6. */
  admissible: HostAddress[]
}

type Family = 'A' | 'AAAA'

interface FamilyResult {
  told: VerificationStep
  addresses: HostAddress[]
}

/** Each address costs queries; a host with more does not answer from all of them at once. */
const mostAddresses = 16

export async function findAddresses(
  context: StepContext,
  allows: (address: string) => boolean,
): Promise<HostAddresses> {
  const families = await Promise.all([findFamily(context, 'A'), findFamily(context, 'AAAA')])
  const addresses = families.flatMap((family) => family.addresses)
  const refused = addresses.filter(({ address }) => !allows(address))
  const admissible = addresses.filter(({ address }) => allows(address))
  const told = addresses.length > 0 ? families.map(withoutMissing) : families
  return {
    steps: [
      ...told.map((family) => family.told),
      ...refused.slice(0, mostAddresses).map(({ address }) => refusal(context.host.name, address)),
    ],
    admissible: admissible.slice(0, mostAddresses),
  }
}

async function findFamily(
  { lookup, host: { name: host } }: StepContext,
  type: Family,
): Promise<FamilyResult> {
  const answer = await lookup(host, type)
  const step = { step: 'address', name: host, type } as const
  if (answer.state === 'found') {
    // Resolvers rotate the order; the selection should not change with it.
    const data = answer.data.toSorted()
    const addresses = data.map((address) => ({ address, seconds: answer.seconds }))
    return { told: { ...step, found: shown(data, mostAddresses) }, addresses }
  }
  const what = `the ${type} record of ${host}`
  const record = { kind: 'NO_ADDRESS', what, expected: addressRecord(host, type) } as const
  return { told: { ...step, found: [], failure: unanswered(answer, record) }, addresses: [] }
}

/** A host with addresses of one family needs none of the other. */
function withoutMissing({ told: { failure, ...told }, addresses }: FamilyResult): FamilyResult {
  if (!failure || failure.kind === 'NO_ADDRESS') return { told, addresses }
  return { told: { ...told, failure }, addresses }
}

function refusal(host: string, address: string): VerificationStep {
  const message =
    `${address}, an address of ${host}, is special-purpose (private, local or reserved); ` +
    'only network.allow of the processor opens it'
  const type = address.includes(':') ? 'AAAA' : 'A'
  const failure = { kind: 'NO_ADDRESS', message } as const
  return { step: 'address', name: host, type, address, found: [address], failure }
}
