/**
 * Which addresses a job may connect to and images may come from: public unicast addresses only, so
 * that nobody makes the host read its own services, its neighbours or a metadata endpoint.
 *
 * @module
 */
import { BlockList, isIP } from 'node:net'

type Net = readonly [address: string, prefix: number]

/** IANA special-purpose registries (RFC 6890 and updates): not public unicast. */
const refusedV4: readonly Net[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['168.63.129.16', 32], // a cloud's metadata endpoint, on an address that looks public
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.88.99.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const refusedV6: readonly Net[] = [
  ['::', 96], // unspecified, loopback, v4-compatible
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32], // Teredo and 6to4 contain a v4 address that nobody has checked
  ['2002::', 16],
  ['3fff::', 20],
  ['5f00::', 16],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

/** RFC 6052: a NAT64 translator forwards these addresses to the v4 address inside them. */
const nat64 = (nets: readonly Net[]): Net[] =>
  nets.map(([net, prefix]) => [`64:ff9b::${inHex(net)}`, 96 + prefix])

/** Writes a v4 address as the last two groups of a v6 address. */
function inHex(address: string): string {
  const bytes = address.split('.').map(Number) as [number, number, number, number]
  const part = (high: number, low: number) => ((high << 8) | low).toString(16)
  return `${part(bytes[0], bytes[1])}:${part(bytes[2], bytes[3])}`
}

/** Networks without public addresses, as ADDRESS/PREFIX. */
export const specialPurposeNets: { readonly [family in 'ipv4' | 'ipv6']: readonly string[] } = {
  ipv4: refusedV4.map((net) => net.join('/')),
  ipv6: [...refusedV6, ...nat64(refusedV4)].map((net) => net.join('/')),
}

const refused = buildList()
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** True for a public unicast address; the v4 part of v4-mapped and NAT64 forms decides. */
export function isPublicAddress(address: string): boolean {
  const family = isIP(withoutZone(address))
  return family !== 0 && !refused.check(withoutZone(address), family === 4 ? 'ipv4' : 'ipv6')
}

/** True for 127.0.0.0/8 (also v4-mapped) and ::1; false for names. */
export function isLoopbackAddress(address: string): boolean {
  const family = isIP(withoutZone(address))
  return family !== 0 && loopback.check(withoutZone(address), family === 4 ? 'ipv4' : 'ipv6')
}

function buildList(): BlockList {
  const list = new BlockList()
  for (const [net, prefix] of refusedV6) list.addSubnet(net, prefix, 'ipv6')
  for (const [net, prefix] of nat64(refusedV4)) list.addSubnet(net, prefix, 'ipv6')
  // BlockList matches the v4-mapped form too.
  for (const [net, prefix] of refusedV4) list.addSubnet(net, prefix, 'ipv4')
  return list
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, '')
}
