import { describe, expect, test } from 'vitest'
import { createEgressPolicy, familyOf, parseNet } from '../../../../service/src/egress/policy.ts'
import { admitScript, countersOf } from '../../../../runtime/src/job-network/rules/rule-changes.ts'

describe('networks', () => {
  test.each([
    ['10.0.0.0/8', { address: '10.0.0.0', prefix: 8, family: 'ipv4' }],
    ['10.1.2.3', { address: '10.1.2.3', prefix: 32, family: 'ipv4' }],
    ['fd00::/8', { address: 'fd00::', prefix: 8, family: 'ipv6' }],
    ['::1', { address: '::1', prefix: 128, family: 'ipv6' }],
    ['0.0.0.0/0', { address: '0.0.0.0', prefix: 0, family: 'ipv4' }],
  ])('%s', (text, expected) => {
    expect(parseNet(text)).toEqual(expected)
  })

  test.each([
    '',
    '10.0.0.0/',
    '10.0.0.0/33',
    '10.0.0.0/-1',
    '10.0.0.0/8/8',
    '10.0.0/8',
    'fd00::/129',
    'fe80::1%eth0',
    'localhost',
    '10.0.0.0/8; flush ruleset',
    '10.0.0.0/1e1',
    '10.0.0.0/ 8',
  ])('not %j', (text) => {
    expect(() => parseNet(text)).toThrow(
      /^expected an address or ADDRESS\/PREFIX, such as 10.0.0.0\/8$/,
    )
  })
})

describe('the policy', () => {
  const policy = createEgressPolicy(['10.1.0.0/16', '192.168.1.7', 'fd00:1::/32'])

  test.each(['8.8.8.8', '10.1.2.3', '192.168.1.7', '2606:4700::1', 'fd00:1::9'])(
    'allows %s',
    (address) => expect(policy.allows(address)).toBe(true),
  )

  test.each([
    '10.2.0.1',
    '127.0.0.1',
    '169.254.169.254',
    '192.168.1.8',
    '::1',
    '::ffff:10.2.0.1',
    'fd00:2::1',
    'fe80::1',
    '64:ff9b::a00:1',
    'ff02::1',
    'not an address',
    '',
  ])('refuses %s', (address) => expect(policy.allows(address)).toBe(false))

  test('lists what it opens by family', () => {
    expect(policy.opened).toEqual({
      ipv4: ['10.1.0.0/16', '192.168.1.7/32'],
      ipv6: ['fd00:1::/32'],
    })
  })

  test('refuses no public network and every special-purpose one, in the syntax of nft', () => {
    const nets = [...policy.refused.ipv4, ...policy.refused.ipv6].map(parseNet)
    for (const { address, family } of nets) {
      expect(familyOf(address)).toBe(family)
      expect(createEgressPolicy([]).allows(address)).toBe(false)
    }
    expect(policy.refused.ipv6).toContain('64:ff9b::a00:0/104')
  })
})

describe('a script for nft', () => {
  test('accepts only addresses', () => {
    for (const address of ['1.2.3.4; flush ruleset', 'fe80::1%eth0', '1.2.3', '']) {
      expect(() => admitScript([{ address, seconds: 60 }])).toThrow('no address: ')
    }
  })

  test('replaces existing elements, so that their timeout starts again', () => {
    expect(admitScript([{ address: '93.184.216.34', seconds: 60.2 }]).split('\n')).toEqual([
      'add element inet causeway admitted4 { 93.184.216.34 }',
      'delete element inet causeway admitted4 { 93.184.216.34 }',
      'add element inet causeway admitted4 { 93.184.216.34 timeout 61s }',
      '',
    ])
  })

  test('counters are read by name', () => {
    const counters = ['admitted', 'limited', 'refused'].map((name, index) => ({
      counter: { name, packets: index + 1 },
    }))
    expect(countersOf(counters)).toEqual({ admitted: 1, limited: 2, refused: 3 })
    expect(countersOf([])).toEqual({ admitted: 0, limited: 0, refused: 0 })
  })
})
