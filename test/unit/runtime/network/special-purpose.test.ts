/** The table of refused networks against the registries of IANA, as they were in 2026. */
import { describe, expect, it, test } from 'vitest'
import { isPublicAddress } from '../../../../service/src/egress/special-purpose.ts'
import { specialPurpose } from '../../../../service/src/egress/special-purpose-table.ts'

/** iana-ipv4-special-registry, every row; one of them has two addresses. */
const ipv4Registry = [
  '0.0.0.0/8',
  '0.0.0.0/32',
  '10.0.0.0/8',
  '100.64.0.0/10',
  '127.0.0.0/8',
  '169.254.0.0/16',
  '172.16.0.0/12',
  '192.0.0.0/24',
  '192.0.0.0/29',
  '192.0.0.8/32',
  '192.0.0.9/32',
  '192.0.0.10/32',
  '192.0.0.170/32',
  '192.0.0.171/32',
  '192.0.2.0/24',
  '192.31.196.0/24',
  '192.52.193.0/24',
  '192.88.99.0/24',
  '192.88.99.2/32',
  '192.168.0.0/16',
  '192.175.48.0/24',
  '198.18.0.0/15',
  '198.51.100.0/24',
  '203.0.113.0/24',
  '240.0.0.0/4',
  '255.255.255.255/32',
]

/** iana-ipv6-special-registry: 23 of its 25 rows. In two the IPv4 address inside decides. */
const ipv6Registry = [
  '::1/128',
  '::/128',
  '64:ff9b:1::/48',
  '100::/64',
  '100:0:0:1::/64',
  '2001::/23',
  '2001::/32',
  '2001:1::1/128',
  '2001:1::2/128',
  '2001:1::3/128',
  '2001:2::/48',
  '2001:3::/32',
  '2001:4:112::/48',
  '2001:10::/28',
  '2001:20::/28',
  '2001:30::/28',
  '2001:db8::/32',
  '2002::/16',
  '2620:4f:8000::/48',
  '3fff::/20',
  '5f00::/16',
  'fc00::/7',
  'fe80::/10',
]
const withIPv4Inside = ['::ffff:', '64:ff9b::']

/** The rows of the table that no special-purpose registry has. */
const others = {
  ipv4: ['168.63.129.16/32', '224.0.0.0/4'],
  ipv6: [
    '::/16',
    '100::/8',
    '200::/7',
    '400::/6',
    '800::/5',
    '1000::/4',
    '4000::/2',
    '8000::/2',
    'c000::/3',
    'e000::/4',
    'f000::/5',
    'f800::/6',
    'fe00::/9',
    'fec0::/10',
    'ff00::/8',
  ],
}

const bits = (net: string) => (net.includes(':') ? 128n : 32n)

function toNumber(address: string): bigint {
  if (!address.includes(':')) {
    return address.split('.').reduce((number, part) => number * 256n + BigInt(part), 0n)
  }
  const [head = '', tail = ''] = address.split('::')
  const groups = (text: string) => (text === '' ? [] : text.split(':'))
  const zeros = Array.from({ length: 8 - groups(head).length - groups(tail).length }, () => '0')
  return [...groups(head), ...zeros, ...groups(tail)].reduce(
    (number, group) => number * 65536n + BigInt(`0x${group}`),
    0n,
  )
}

function toAddress(number: bigint, width: bigint): string {
  const [groups, size, base] = width === 32n ? [4, 8n, 10] : [8, 16n, 16]
  const parts = Array.from({ length: groups }, (_, at) =>
    BigInt.asUintN(Number(size), number >> (size * BigInt(groups - 1 - at))).toString(base),
  )
  return parts.join(width === 32n ? '.' : ':')
}

/** The first and the last address, and one in the middle. */
function samples(net: string): string[] {
  const [address = '', prefix = ''] = net.split('/')
  const width = bits(net)
  const first = toNumber(address)
  const last = first + (1n << (width - BigInt(prefix))) - 1n
  return [first, (first + last) / 2n, last].map((number) => toAddress(number, width))
}

describe('the registries of 2026', () => {
  it.each([...ipv4Registry, ...ipv6Registry])('%s is not public', (net) => {
    expect(samples(net).filter(isPublicAddress)).toEqual([])
  })

  it.each(ipv4Registry)('%s is not public inside an IPv6 address', (net) => {
    const inside = samples(net).flatMap((address) => withIPv4Inside.map((form) => form + address))
    expect(inside.filter(isPublicAddress)).toEqual([])
  })
})

describe('the table', () => {
  test.each([
    ['ipv4', ipv4Registry],
    ['ipv6', ipv6Registry],
  ] as const)('has for %s rows of the registry and those named here', (family, registry) => {
    const known = new Set([...registry, ...others[family]])
    const nets = specialPurpose[family].map(({ net }) => net)
    expect(nets.filter((net) => !known.has(net))).toEqual([])
    expect(nets).toEqual(expect.arrayContaining(others[family]))
    expect(new Set(nets).size).toBe(nets.length)
  })

  test('says of every row what it is and who says so', () => {
    const rows = [...specialPurpose.ipv4, ...specialPurpose.ipv6]
    expect(rows.filter(({ name, source }) => name === '' || source === '')).toEqual([])
  })

  it.each([
    '::ffff:0:127.0.0.1',
    '::ffff:0:8.8.8.8',
    '::8.8.8.8',
    '0:1::1',
    '100:0:0:2::1',
    '200::1',
    '4000::1',
    'feff::1',
  ])('%s, outside of the global unicast addresses, is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false)
  })

  it.each([
    '9.255.255.255',
    '11.0.0.0',
    '192.0.1.0',
    '192.31.195.255',
    '223.255.255.255',
    '2000::1',
    '2001:200::1',
    '2003::1',
    '2620:4f:8001::1',
    '3ffe:ffff::1',
    '::ffff:8.8.8.8',
    '64:ff9b::8.8.8.8',
  ])('%s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true)
  })
})
