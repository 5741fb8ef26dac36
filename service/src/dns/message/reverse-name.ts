/** Writes addresses as reverse names and as canonical text. @module */
import { SocketAddress, isIPv6 } from 'node:net'

const groups = 8

/** The name of an address's PTR record: below in-addr.arpa, or ip6.arpa (RFC 3596). */
export function reverseName(address: string): string {
  if (!isIPv6(address)) return `${address.split('.').toReversed().join('.')}.in-addr.arpa`
  const digits = expand(address).flatMap((group) => group.padStart(4, '0').split(''))
  return `${digits.toReversed().join('.')}.ip6.arpa`
}

/** The canonical text of an IPv6 address (RFC 5952). */
export function canonicalIpv6(address: string): string {
  return new SocketAddress({ address, family: 'ipv6' }).address
}

/** An IPv6 address as eight groups of hex digits. */
function expand(address: string): string[] {
  const [before = '', after] = withoutDots(address).split('::')
  const [head, tail] = [before, after ?? ''].map((part) => part.split(':').filter(Boolean))
  const zeros = Array.from({ length: groups - head!.length - tail!.length }, () => '0')
  return [...head!, ...zeros, ...tail!]
}

/** Rewrites an IPv4 address at the end, as of `::ffff:192.0.2.1`, in hex digits. */
function withoutDots(address: string): string {
  return address.replace(/(\d+)\.(\d+)\.(\d+)\.(\d+)$/, (_, ...parts: string[]) => {
    const [a, b, c, d] = parts.slice(0, 4).map(Number)
    return [a! * 256 + b!, c! * 256 + d!].map((group) => group.toString(16)).join(':')
  })
}
