import { describe, expect, it } from 'vitest'
import { isDomainName, isNumeric } from '../../../../service/src/dns/message/domain-name.ts'
import { canonicalIpv6, reverseName } from '../../../../service/src/dns/message/reverse-name.ts'

describe('domain names', () => {
  const label63 = 'x'.repeat(63)
  it.each([
    'a',
    'example.test',
    '_acu.example.test',
    'xn--bcher-kva.example',
    'A-b.C',
    '9.9.a',
    label63,
    [label63, label63, label63, 'x'.repeat(61)].join('.'),
  ])('%s', (name) => {
    expect(isDomainName(name)).toBe(true)
  })
  it.each([
    '',
    '.',
    'a.',
    '.a',
    'a..b',
    `${label63}x`,
    [label63, label63, label63, 'x'.repeat(62)].join('.'),
    '-a',
    'a-',
    'a b',
    'a\0',
    'a\n',
    'a\\b',
    'ä',
    '\u212a',
    'ſ',
    '*.a',
    'a/b',
    'a:1',
    '__proto__ ',
  ])('not %j', (name) => {
    expect(isDomainName(name)).toBe(false)
  })
  it.each([
    '1',
    '127.0.0.1',
    '127.1',
    '2130706433',
    '0x7f.1',
    '0x7f000001',
    '017700000001',
    'a.1',
    'a.0x',
    'a.0XaF',
  ])('%s would be read as an address', (name) => {
    expect(isNumeric(name)).toBe(true)
  })
  it.each(['a', '1a', '1.a', '0xg', 'a.1b', '0x1.a'])('%s would not', (name) => {
    expect(isNumeric(name)).toBe(false)
  })
})

describe('the reverse name', () => {
  const zeros = (count: number) => '0.'.repeat(count)
  it.each([
    ['192.0.2.1', '1.2.0.192.in-addr.arpa'],
    ['2001:db8::567:89ab', `b.a.9.8.7.6.5.0.${zeros(16)}8.b.d.0.1.0.0.2.ip6.arpa`],
    ['::', `${zeros(32)}ip6.arpa`],
    ['::1', `1.${zeros(31)}ip6.arpa`],
    ['2001::', `${zeros(28)}1.0.0.2.ip6.arpa`],
    ['1:2:3:4:5:6:7:8', '8.0.0.0.7.0.0.0.6.0.0.0.5.0.0.0.4.0.0.0.3.0.0.0.2.0.0.0.1.0.0.0.ip6.arpa'],
    ['::ffff:192.0.2.1', `1.0.2.0.0.0.0.c.f.f.f.f.${zeros(20)}ip6.arpa`],
  ])('of %s', (address, name) => {
    expect(reverseName(address)).toBe(name)
  })
})

it.each([
  ['2001:DB8:0:0:0:0:0:1', '2001:db8::1'],
  ['2001:0db8::0001', '2001:db8::1'],
  ['0:0:0:0:0:ffff:c000:201', '::ffff:192.0.2.1'],
  ['1:0:0:2:0:0:0:3', '1:0:0:2::3'],
])('%s is written %s', (address, canonical) => {
  expect(canonicalIpv6(address)).toBe(canonical)
})
