/**
 * Which addresses an image may come from: public unicast ones only, so that a manifest cannot make
 * the host read from its own services, its neighbours or a metadata endpoint.
 *
 * @module
 */
import { BlockList, isIP } from 'node:net'

/** IANA special-purpose registries (RFC 6890 and updates): nothing an image is served from. */
const refusedV4: readonly (readonly [string, number])[] = [
  ['0.0.0.0', 8],
  ['10.0.0.0', 8],
  ['100.64.0.0', 10],
  ['127.0.0.0', 8],
  ['169.254.0.0', 16],
  ['172.16.0.0', 12],
  ['192.0.0.0', 24],
  ['192.0.2.0', 24],
  ['192.168.0.0', 16],
  ['198.18.0.0', 15],
  ['198.51.100.0', 24],
  ['203.0.113.0', 24],
  ['224.0.0.0', 4],
  ['240.0.0.0', 4],
]

const refusedV6: readonly (readonly [string, number])[] = [
  ['::', 96], // unspecified, loopback, v4-compatible
  ['64:ff9b:1::', 48],
  ['100::', 64],
  ['2001::', 32], // Teredo and 6to4 carry a v4 address that nobody has checked
  ['2002::', 16],
  ['2001:db8::', 32],
  ['fc00::', 7],
  ['fe80::', 10],
  ['fec0::', 10],
  ['ff00::', 8],
]

const refused = buildList()
const loopback = new BlockList()
loopback.addSubnet('127.0.0.0', 8, 'ipv4')
loopback.addAddress('::1', 'ipv6')

/** True for a public unicast address; v4-mapped and NAT64 forms are judged by the v4 inside. */
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
  for (const [net, prefix] of refusedV4) {
    list.addSubnet(net, prefix, 'ipv4') // matches the v4-mapped form too
    list.addSubnet(`64:ff9b::${net}`, 96 + prefix, 'ipv6')
  }
  return list
}

function withoutZone(address: string): string {
  return address.replace(/%.*$/s, '')
}
