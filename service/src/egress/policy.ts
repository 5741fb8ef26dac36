/**
 * Decides which addresses jobs may reach at all: public unicast ones, and those that the operator
 * opens.
 * @module
 */
import { BlockList, isIP } from 'node:net'
import { isPublicAddress, specialPurposeNets } from './special-purpose.ts'

/** Networks as ADDRESS or ADDRESS/PREFIX. */
type Nets = readonly string[]

export interface EgressPolicy {
  /** Whether a job may reach an address. */
  readonly allows: (address: string) => boolean
  /** Networks that are refused, except addresses in `opened`. */
  refused: { readonly [family in Family]: Nets }
  opened: { readonly [family in Family]: Nets }
}

export type Family = 'ipv4' | 'ipv6'

/** @param allow networks as `parseNet` accepts them */
export function createEgressPolicy(allow: Nets): EgressPolicy {
  const opened = { ipv4: netsOf(allow, 'ipv4'), ipv6: netsOf(allow, 'ipv6') }
  const list = new BlockList()
  for (const { address, prefix, family } of allow.map(parseNet)) {
    list.addSubnet(address, prefix, family)
  }
  return {
    refused: specialPurposeNets,
    opened,
    allows: (address) => {
      const family = familyOf(address)
      return family !== undefined && (isPublicAddress(address) || list.check(address, family))
    },
  }
}

export function familyOf(address: string): Family | undefined {
  const version = isIP(address)
  if (version === 0) return undefined
  return version === 4 ? 'ipv4' : 'ipv6'
}

interface Net {
  address: string
  prefix: number
  family: Family
}

/**
 * Parses a network as ADDRESS/PREFIX, or one address.
 * @throws Error saying what was expected
 */
export function parseNet(text: string): Net {
  const [address = '', prefix, ...rest] = text.split('/')
  const family = familyOf(address)
  const bits = family === 'ipv4' ? 32 : 128
  const length = prefix === undefined ? bits : Number(prefix)
  const isWhole = prefix === undefined || /^\d{1,3}$/.test(prefix)
  if (!family || address.includes('%') || rest.length > 0 || !isWhole || length > bits) {
    throw new Error('expected an address or ADDRESS/PREFIX, such as 10.0.0.0/8')
  }
  return { address, prefix: length, family }
}

function netsOf(nets: Nets, wanted: Family): string[] {
  return nets
    .map(parseNet)
    .filter(({ family }) => family === wanted)
    .map(({ address, prefix }) => `${address}/${prefix}`)
}
