/**
 * Which addresses a job may connect to and images may come from: public unicast addresses only.
 * @module
 */
import { BlockList, isIP } from 'node:net'
import { specialPurpose } from './special-purpose-table.ts'

/** RFC 6052: a NAT64 translator forwards these addresses to the IPv4 address inside them. */
function nat64(net: string): string {
  const [address = '', prefix] = net.split('/')
  return `64:ff9b::${inHex(address)}/${96 + Number(prefix)}`
}

/** Writes an IPv4 address as the last two groups of an IPv6 address. */
function inHex(address: string): string {
  const bytes = address.split('.').map(Number) as [number, number, number, number]
  const part = (high: number, low: number) => ((high << 8) | low).toString(16)
  return `${part(bytes[0], bytes[1])}:${part(bytes[2], bytes[3])}`
}

const ipv4 = specialPurpose.ipv4.map(({ net }) => net)
const ipv6 = [...specialPurpose.ipv6.map(({ net }) => net), ...ipv4.map(nat64)]

/** Networks without public addresses, as ADDRESS/PREFIX; some are inside others. */
export const specialPurposeNets: { readonly [family in 'ipv4' | 'ipv6']: readonly string[] } = {
  ipv4,
  ipv6,
}

const refusedV4 = listOf(ipv4, 'ipv4')
const refusedV6 = listOf(ipv6, 'ipv6')
const mapped = listOf(['::ffff:0:0/96'], 'ipv6')
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')
const unspecified = listOf(['0.0.0.0/32'], 'ipv4')
unspecified.addAddress('::', 'ipv6')

/** True for a public unicast address; the IPv4 part of IPv4-mapped and NAT64 forms decides. */
export function isPublicAddress(address: string): boolean {
  const bare = withoutZone(address)
  const version = isIP(bare)
  if (version === 4) return !refusedV4.check(bare, 'ipv4')
  // A list of IPv4 networks takes the mapped form, too.
  return version === 6 && !(mapped.check(bare, 'ipv6') ? refusedV4 : refusedV6).check(bare, 'ipv6')
}

/** True for 127.0.0.0/8 (also v4-mapped) and ::1; false for names. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(withoutZone(address))
  return family !== 0 && loopback.check(withoutZone(address), family === 4 ? 'ipv4' : 'ipv6')
}

/** True for 0.0.0.0 and ::, which name no host. */
export function isUnspecifiedAddress(address: string): boolean {
  const version = isIP(withoutZone(address))
  return version !== 0 && unspecified.check(withoutZone(address), version === 4 ? 'ipv4' : 'ipv6')
}

function listOf(nets: readonly string[], family: 'ipv4' | 'ipv6'): BlockList {
  const list = new BlockList()
  for (const net of nets) {
    const [address = '', prefix] = net.split('/')
    list.addSubnet(address, Number(prefix), family)
  }
  return list
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, '')
}
