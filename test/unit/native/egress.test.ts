import { describe, expect, it } from 'vitest'
import { createEgress, type EgressOptions } from '@causeway/native'

const here = '8.8.8.8'
const there = '2606:4700::1111'

/** An egress whose clock stands still unless the test moves it. */
function open(options: Partial<EgressOptions> = {}) {
  const clock = { ms: 1000 }
  const rate = { connectionsPerSecond: 10, burst: 3 }
  const now = () => clock.ms
  return { clock, egress: createEgress({ refused: [], opened: [], ...rate, now, ...options }) }
}

const takes = (count: number, take: () => number) => Array.from({ length: count }, take)

describe('the rate', () => {
  it('lets a burst through at once, and the others one after the other', () => {
    const { egress, clock } = open()
    expect(takes(6, () => egress.take(here))).toEqual([0, 0, 0, 100, 200, 300])
    clock.ms += 250
    // Two of the three in the line have gone meanwhile.
    expect(egress.take(there)).toBe(150)
    expect(egress.counters()).toEqual({ admitted: 0, limited: 4, refused: 0 })
  })

  it('grows to a burst again, and not beyond it', () => {
    const { egress, clock } = open()
    takes(4, () => egress.take(here))
    clock.ms += 100_000
    expect(takes(4, () => egress.take(here))).toEqual([0, 0, 0, 100])
  })

  it('rounds waiting up, so that nobody is early', () => {
    const { egress, clock } = open({ connectionsPerSecond: 3, burst: 1 })
    expect(takes(3, () => egress.take(here))).toEqual([0, 334, 667])
    clock.ms += 666.9
    expect(egress.take(here)).toBe(334)
  })

  it('goes by the system’s clock when it is given none', () => {
    const egress = createEgress({ refused: [], opened: [], connectionsPerSecond: 1, burst: 1 })
    expect(egress.take(here)).toBe(0)
    expect(egress.take(here)).toBeGreaterThan(0)
  })
})

describe('admitted addresses', () => {
  it('take no part in the rate, for their time', () => {
    const { egress, clock } = open({ burst: 1 })
    egress.admit([
      { address: here, ms: 50 },
      { address: there, ms: 100 },
    ])
    expect(takes(2, () => egress.take(`::ffff:${here}`))).toEqual([0, 0])
    clock.ms += 50
    expect([here, there, here].map((address) => egress.take(address))).toEqual([0, 0, 100])
    expect(egress.counters()).toEqual({ admitted: 3, limited: 1, refused: 0 })
  })

  it('may be renewed and revoked', () => {
    const { egress, clock } = open({ burst: 1 })
    const admit = (ms: number) => egress.admit([{ address: there, ms }])
    admit(100)
    admit(10)
    clock.ms += 10
    expect(takes(2, () => egress.take(there))).toEqual([0, 100])
    admit(100)
    expect(egress.take(there)).toBe(0)
    egress.revoke([there, here])
    expect(egress.take(there)).toBe(200)
  })

  it('are forgotten when they have expired, and the others are not', () => {
    const { egress, clock } = open({ burst: 1 })
    egress.admit([{ address: there, ms: 1_000_000 }])
    for (let number = 0; number < 300; number++) {
      egress.admit([{ address: `10.0.${number >> 8}.${number & 255}`, ms: 5 }])
      clock.ms += 1
    }
    expect([there, here, '10.0.1.43', '10.0.1.0'].map((address) => egress.take(address))).toEqual([
      0, 0, 0, 100,
    ])
  })

  it('are still refused by the policy', () => {
    const { egress } = open({ refused: ['10.0.0.0/8'] })
    egress.admit([{ address: '10.0.0.1', ms: 100 }])
    expect(egress.take('10.0.0.1')).toBe(-1)
  })
})

describe('the policy', () => {
  const refused = ['10.0.0.0/8', '192.168.128.0/17', '0.0.0.1', 'fc00::/7', '::/96', '2001:db8::1']
  const { egress } = open({ refused, opened: ['10.1.0.0/16', 'fd12:3456::/33', '::2'] })

  it.each([
    ['9.255.255.255', true],
    ['10.0.0.0', false],
    ['10.255.255.255', false],
    ['11.0.0.0', true],
    ['10.1.0.0', true],
    ['10.2.0.0', false],
    ['192.168.127.255', true],
    ['192.168.128.0', false],
    ['0.0.0.1', false],
    ['0.0.0.2', true],
    ['::ffff:10.2.0.0', false],
    ['::ffff:11.0.0.0', true],
    ['fbff::', true],
    ['fc00::', false],
    ['fdff:ffff::', false],
    ['fe00::', true],
    ['fd12:3456:7fff::', true],
    ['fd12:3456:8000::', false],
    ['::1', false],
    ['::2', true],
    ['2001:db8::1', false],
    ['2001:db8::2', true],
  ])('%s: %j', (address, allowed) => {
    expect(egress.allows(address)).toBe(allowed)
    expect(egress.take(address) >= 0).toBe(allowed)
  })

  it('refuses what is no address', () => {
    const { egress: all } = open()
    const texts = [
      '',
      'localhost',
      '1.2.3',
      '1.2.3.4 ',
      '1.2.3.4\0',
      'fe80::1%lo',
      '::1'.repeat(99),
    ]
    const none = [...texts, 1 as unknown as string]
    expect(none.map((address) => all.allows(address))).toEqual(none.map(() => false))
    expect(none.map((address) => all.take(address))).toEqual(none.map(() => -1))
    expect(all.counters()).toEqual({ admitted: 0, limited: 0, refused: none.length })
  })

  it('has nets of any length, and IPv4-mapped ones for the IPv4 inside', () => {
    const v6 = open({ refused: ['0.0.0.0/0'] }).egress
    expect([here, there].map((address) => v6.allows(address))).toEqual([false, true])
    const mapped = open({ refused: ['::/0', '::ffff:8.0.0.0/104'] }).egress
    expect([here, '9.9.9.9', there].map((address) => mapped.allows(address))).toEqual([
      false,
      true,
      false,
    ])
  })
})

it.each([
  [{ refused: ['10.0.0.0/33'] }, RangeError, /^refused must hold .* got "10.0.0.0\/33"$/],
  [{ opened: ['::/129'] }, RangeError, /^opened must hold/],
  [{ opened: ['10.0.0.0/'] }, RangeError, /^opened must hold/],
  [{ opened: ['example.com/8'] }, RangeError, /^opened must hold/],
  [{ opened: ['fe80::1%lo'] }, RangeError, /^opened must hold/],
  [{ connectionsPerSecond: 0 }, RangeError, /^connectionsPerSecond must be/],
  [{ burst: 0 }, RangeError, /^burst must be/],
])('options %j are refused', (options, kind, message) => {
  expect(() => open(options)).toThrowError(kind)
  expect(() => open(options)).toThrowError(message)
})

it('arguments of a wrong kind are refused, and nothing is half done', () => {
  const { egress } = open({ burst: 1 })
  const both = [
    { address: here, ms: 10 },
    { address: 'here', ms: 10 },
  ]
  expect(() => egress.admit(both)).toThrowError(/^address must be .* got "here"$/)
  expect(() => egress.admit([{ address: here, ms: 0 }])).toThrowError(/^ms must be an integer/)
  expect(() => egress.revoke(['here'])).toThrowError(RangeError)
  expect(() => egress.revoke([1 as unknown as string])).toThrowError(TypeError)
  expect(takes(2, () => egress.take(here))).toEqual([0, 100])
})
