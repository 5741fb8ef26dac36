/**
 * Networks without public unicast addresses. A job must not make the host reach its own services, its
 * neighbours, a metadata endpoint or a server of its own provider.
 *
 * All rows of the two IANA registries are here or inside a wider one (iana-ipv4-special-registry and
 * iana-ipv6-special-registry, as of 2026). So are those that are globally reachable: an anycast
 * address leads to the nearest server, which is the provider's of this host. Two rows are left out,
 * because the IPv4 address inside decides: `::ffff:0:0/96` (mapped) and `64:ff9b::/96` (NAT64).
 * @module
 */

export interface SpecialNet {
  /** ADDRESS/PREFIX. */
  net: string
  name: string
  /** The document that sets it apart. */
  source: string
}

type Row = readonly [net: string, name: string, source: string]

const ipv4: readonly Row[] = [
  ['0.0.0.0/8', 'this network', 'RFC 791'],
  ['10.0.0.0/8', 'private use', 'RFC 1918'],
  ['100.64.0.0/10', 'shared address space', 'RFC 6598'],
  ['127.0.0.0/8', 'loopback', 'RFC 1122'],
  ['169.254.0.0/16', 'link-local', 'RFC 3927'],
  ['172.16.0.0/12', 'private use', 'RFC 1918'],
  ['192.0.0.0/24', 'IETF protocol assignments', 'RFC 6890'],
  ['192.0.2.0/24', 'documentation', 'RFC 5737'],
  ['192.31.196.0/24', 'AS112', 'RFC 7535'],
  ['192.52.193.0/24', 'AMT', 'RFC 7450'],
  ['192.88.99.0/24', '6to4 relay anycast', 'RFC 7526'],
  ['192.168.0.0/16', 'private use', 'RFC 1918'],
  ['192.175.48.0/24', 'AS112, direct delegation', 'RFC 7534'],
  ['198.18.0.0/15', 'benchmarking', 'RFC 2544'],
  ['198.51.100.0/24', 'documentation', 'RFC 5737'],
  ['203.0.113.0/24', 'documentation', 'RFC 5737'],
  ['240.0.0.0/4', 'reserved, and limited broadcast', 'RFC 1112'],
  // Not in the registry:
  ['168.63.129.16/32', 'metadata endpoint on an address that looks public', 'a cloud'],
  ['224.0.0.0/4', 'multicast', 'RFC 5771'],
]

const ipv6: readonly Row[] = [
  ['::/128', 'unspecified', 'RFC 4291'],
  ['::1/128', 'loopback', 'RFC 4291'],
  ['64:ff9b:1::/48', 'local-use IPv4/IPv6 translation', 'RFC 8215'],
  ['100::/64', 'discard-only', 'RFC 6666'],
  ['100:0:0:1::/64', 'dummy prefix', 'RFC 9780'],
  ['2001::/23', 'IETF protocol assignments: Teredo, anycast, ORCHID and more', 'RFC 2928'],
  ['2001:db8::/32', 'documentation', 'RFC 3849'],
  ['2002::/16', '6to4: it contains an IPv4 address that nobody has checked', 'RFC 3056'],
  ['2620:4f:8000::/48', 'AS112, direct delegation', 'RFC 7534'],
  ['3fff::/20', 'documentation', 'RFC 9637'],
  ['5f00::/16', 'segment routing', 'RFC 9602'],
  ['fc00::/7', 'unique-local', 'RFC 4193'],
  ['fe80::/10', 'link-local', 'RFC 4291'],
  // Not in the registry: what is outside of 2000::/3, the global unicast addresses. Of ::/8 it is what
  // begins with 16 zero bits, because NAT64 is there, too.
  ['::/16', 'IPv4 inside: compatible (::/96), translated (::ffff:0:0:0/96)', 'RFC 4291, RFC 2765'],
  ['100::/8', 'reserved', 'RFC 4291'],
  ['200::/7', 'reserved; overlay networks use it', 'RFC 4048'],
  ['400::/6', 'reserved', 'RFC 4291'],
  ['800::/5', 'reserved', 'RFC 4291'],
  ['1000::/4', 'reserved', 'RFC 4291'],
  ['4000::/2', 'reserved', 'RFC 4291'],
  ['8000::/2', 'reserved', 'RFC 4291'],
  ['c000::/3', 'reserved', 'RFC 4291'],
  ['e000::/4', 'reserved', 'RFC 4291'],
  ['f000::/5', 'reserved', 'RFC 4291'],
  ['f800::/6', 'reserved', 'RFC 4291'],
  ['fe00::/9', 'reserved', 'RFC 4291'],
  ['fec0::/10', 'site-local, deprecated', 'RFC 3879'],
  ['ff00::/8', 'multicast', 'RFC 4291'],
]

const rowsOf = (rows: readonly Row[]): SpecialNet[] =>
  rows.map(([net, name, source]) => ({ net, name, source }))

export const specialPurpose = { ipv4: rowsOf(ipv4), ipv6: rowsOf(ipv6) }
