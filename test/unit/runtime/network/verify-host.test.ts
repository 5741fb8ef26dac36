import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { RpcError } from '../../../../runtime/src/bridge/errors.ts'
import type { Verification } from '../../../../runtime/src/network/verify/verification.ts'
import { createVerifier } from '../../../../runtime/src/network/verify/verify-host.ts'
import { startNameServer, type NameServer } from '../../../support/name-server.ts'
import { thrownBy } from '../../../support/thrown.ts'
import { digest, manyAddresses, named, source, zone, zones } from './verify-zones.ts'

let server: NameServer
beforeAll(async () => {
  server = await startNameServer(zones)
})
afterAll(() => server[Symbol.asyncDispose]())

type Options = Omit<Parameters<typeof createVerifier>[0], 'resolvers'>
const verify = (host: string, options?: Options) =>
  createVerifier({ resolvers: [server], ...options })(host, source)

const passedOf = ({ passed, failure }: Verification) => ({
  addresses: passed.map(({ address }) => address),
  failure,
})
const passes = (...addresses: string[]) => ({ addresses, failure: undefined })

describe('a host passes', () => {
  it.each([
    { what: 'with one address that points back', host: named('plain'), ips: ['93.184.1.1'] },
    { what: 'with its TXT in several strings', host: named('split'), ips: ['93.184.1.2'] },
    { what: 'with other TXT records beside', host: named('several'), ips: ['93.184.1.3'] },
    { what: 'with 5 KB of TXT, by TCP', host: named('long'), ips: ['93.184.1.4'] },
    { what: 'that is an alias', host: named('alias'), ips: ['93.184.1.5'] },
    { what: 'whose claim is an alias', host: named('delegated'), ips: ['93.184.1.6'] },
    { what: 'with IPv6 only', host: named('six'), ips: ['2a00:1450:4001:81b::200e'] },
    { what: 'with IPv4 when IPv6 does not', host: named('both'), ips: ['93.184.1.7'] },
    { what: 'when a name elsewhere consents', host: named('elsewhere'), ips: ['93.184.1.11'] },
    { what: 'when one of two names consents', host: named('two-names'), ips: ['93.184.1.12'] },
    { what: 'with those addresses that consent', host: named('mixed'), ips: ['93.184.1.13'] },
    { what: 'eight aliases away', host: named('near'), ips: ['93.184.1.18'] },
    { what: 'in upper case, with a final dot', host: 'PLAIN.Example.TEST.', ips: ['93.184.1.1'] },
    { what: 'as the owner wrote it', host: 'Given.Example.Test', ips: ['93.184.1.19'] },
    { what: 'in UTF-8, by the digest over its bytes', host: named('Bücher'), ips: ['93.184.1.27'] },
    { what: 'whose PTR is in upper case', host: named('upper'), ips: ['93.184.1.26'] },
  ])('$what', async ({ host, ips }) => {
    expect(passedOf(await verify(host))).toEqual(passes(...ips))
  })

  it('with the first 16 of 200 addresses, and says how many there are', async () => {
    const { passed, steps } = await verify(named('many'))
    const first = manyAddresses.toSorted().slice(0, 16)
    expect(passed.map(({ address }) => address)).toEqual(first)
    expect(steps[1]).toMatchObject({ step: 'address', found: [...first, 'and 184 more'] })
  })

  it('at a private address that the operator opened', async () => {
    const allows = (address: string) => address === '10.1.2.3'
    expect(passedOf(await verify(named('private'), { allows }))).toEqual(passes('10.1.2.3'))
  })

  it('for as long as its shortest record', async () => {
    const seconds = async (host: string) => (await verify(named(host))).passed[0]?.seconds
    expect(await seconds('short-claim')).toBe(90)
    expect(await seconds('short-address')).toBe(95)
    expect(await seconds('short-pointer')).toBe(99)
    expect(await seconds('alias')).toBe(100)
    expect(await seconds('delegated')).toBe(70)
    expect(await seconds('no-time')).toBe(60)
    expect(await seconds('for-ever')).toBe(3600)
  })
})

describe('a host fails', () => {
  const txt = (name: string) => `_acu.${name}. IN TXT "${digest(name)}"`
  const found = (text: string) => `; found ${JSON.stringify(text)}`
  const wrong = `v=${'A'.repeat(43)}=`
  it.each([
    {
      host: named('unclaimed'),
      kind: 'TXT_MISSING',
      step: 'claim',
      name: `_acu.${named('unclaimed')}`,
      message: `the TXT record of _acu.${named('unclaimed')} is missing: there is no such name`,
      expected: txt(named('unclaimed')),
    },
    {
      host: named('nodata'),
      kind: 'TXT_MISSING',
      step: 'claim',
      name: `_acu.${named('nodata')}`,
      message: `the TXT record of _acu.${named('nodata')} is missing: the name has no TXT record`,
      expected: txt(named('nodata')),
    },
    {
      host: named('mismatch'),
      kind: 'TXT_MISMATCH',
      step: 'claim',
      name: `_acu.${named('mismatch')}`,
      message: `the TXT record of _acu.${named('mismatch')} is not the owner's${found(wrong)}`,
      expected: txt(named('mismatch')),
    },
    {
      host: named('circle'),
      kind: 'TXT_MISSING',
      step: 'claim',
      name: `_acu.${named('circle')}`,
      message: `the TXT record of _acu.${named('circle')} is missing: its CNAME records form a loop through one.${zone}`,
      expected: txt(named('circle')),
    },
    {
      host: named('homeless'),
      kind: 'NO_ADDRESS',
      step: 'address',
      name: named('homeless'),
      message: `the A record of ${named('homeless')} is missing: the name has no A record`,
      expected: `${named('homeless')}. IN A <address>`,
    },
    {
      host: named('far'),
      kind: 'NO_ADDRESS',
      step: 'address',
      name: named('far'),
      message: `the A record of ${named('far')} is missing: its CNAME chain has more than 8 names`,
      expected: `${named('far')}. IN A <address>`,
    },
    {
      host: named('no-pointer'),
      kind: 'PTR_MISSING',
      step: 'pointer',
      name: '8.1.184.93.in-addr.arpa',
      message: `the PTR record of 93.184.1.8, an address of ${named('no-pointer')}, is missing: there is no such name`,
      expected: `8.1.184.93.in-addr.arpa. IN PTR ${named('no-pointer')}.`,
    },
    {
      host: named('silent'),
      kind: 'PTR_TXT_MISSING',
      step: 'counterclaim',
      name: `_acu.no-claim.${zone}`,
      message: `the TXT record of _acu.no-claim.${zone} (the PTR of 93.184.1.9 leads there) is missing: there is no such name`,
      expected: txt(`no-claim.${zone}`),
    },
    {
      host: named('strange'),
      kind: 'PTR_TXT_MISMATCH',
      step: 'counterclaim',
      name: `_acu.wrong-claim.${zone}`,
      message: `the TXT record of _acu.wrong-claim.${zone} (the PTR of 93.184.1.10 leads there) is not the owner's${found(wrong)}`,
      expected: txt(`wrong-claim.${zone}`),
    },
  ])('$host: $kind', async ({ host, kind, step, name, message, expected }) => {
    const failure = { kind, step, name, message, expected }
    expect(passedOf(await verify(host))).toEqual({ addresses: [], failure })
  })

  it.each(['private', 'metadata'])('at a special-purpose address: %s', async (label) => {
    const { passed, failure } = await verify(named(label))
    expect(passed).toEqual([])
    expect(failure).toMatchObject({ kind: 'NO_ADDRESS', step: 'address', name: named(label) })
    expect(failure?.message).toMatch(/^1\S+, an address of .* is special-purpose .*network\.allow/)
    expect(failure?.expected).toBeUndefined()
  })

  it.each([
    { label: 'dotted', found: `\\\\ plain.${zone}` },
    { label: 'nul', found: `plain\\\\x00.${zone}` },
    { label: 'rooted', found: '.' },
    { label: 'numbered', found: '93.184.1.1' },
    { label: 'spaced', found: `a b.${zone}` },
    { label: 'longest', found: '' },
  ])('whose PTR contains no host name: $label', async ({ label, found: text }) => {
    const { passed, failure } = await verify(named(label))
    expect(passed).toEqual([])
    expect(failure).toMatchObject({ kind: 'PTR_MISSING', step: 'pointer' })
    expect(failure?.message).toContain(`contains no host name; found "${text}`)
  })

  it('whose zone the server cannot read: SERVFAIL, to be tried again', async () => {
    const { failure } = await verify('www.broken.test')
    const name = '_acu.www.broken.test'
    const message = `the TXT record of ${name} could not be looked up: resolver 1: SERVFAIL`
    expect(failure).toEqual({ kind: 'RESOLVER_FAILED', step: 'claim', name, message })
  })

  it('that the resolver refuses to look up: REFUSED', async () => {
    const { failure } = await verify('www.unknown.test')
    expect(failure).toMatchObject({ kind: 'RESOLVER_FAILED' })
    expect(failure?.message).toContain('resolver 1: REFUSED')
  })
})

describe('the spelling', () => {
  const spellings = ({ steps }: Verification) =>
    steps.flatMap(({ spelling }) => (spelling === undefined ? [] : [spelling]))

  it('that passed is told with each claim', async () => {
    expect(spellings(await verify(named('Bücher')))).toEqual([named('Bücher'), named('Bücher')])
    expect(spellings(await verify('Given.Example.Test'))).toEqual([
      'Given.Example.Test',
      'Given.Example.Test',
    ])
    const elsewhere = [named('elsewhere'), 'machine-7.hosting.test']
    expect(spellings(await verify(named('elsewhere')))).toEqual(elsewhere)
  })

  it('that failed is told, and is the one in the record to publish', async () => {
    const { failure, steps } = await verify(named('bücher'))
    const name = `_acu.xn--bcher-kva.${zone}`
    expect(failure?.expected).toBe(`${name}. IN TXT "${digest(named('bücher'))}"`)
    expect(failure?.message).toContain(
      `the TXT record of ${name} for the spelling "${named('bücher')}" is not the owner's`,
    )
    expect(steps[0]).toMatchObject({ name, spelling: named('bücher') })
  })
})

describe('the steps', () => {
  it('are in the order of the spec, with two steps for each address', async () => {
    const { steps } = await verify(named('mixed'))
    const short = steps.map(({ step, type, address, failure }) => [
      step,
      type,
      address,
      failure?.kind,
    ])
    expect(short).toEqual([
      ['claim', 'TXT', undefined, undefined],
      ['address', 'A', undefined, undefined],
      ['address', 'AAAA', undefined, undefined],
      ['address', 'A', '10.0.0.1', 'NO_ADDRESS'],
      ['pointer', 'PTR', '93.184.1.13', undefined],
      ['counterclaim', 'TXT', '93.184.1.13', undefined],
      ['pointer', 'PTR', '93.184.1.14', 'PTR_MISSING'],
      ['pointer', 'PTR', '93.184.1.15', undefined],
      ['counterclaim', 'TXT', '93.184.1.15', 'PTR_TXT_MISSING'],
    ])
  })

  it('end after a failed claim, or continue to show all steps, and nothing passes', async () => {
    const { steps } = await verify(named('mismatch'))
    expect(steps.map(({ step }) => step)).toEqual(['claim', 'address', 'address'])
    const all = await verify(named('mismatch'), { isExhaustive: true })
    expect(all.steps.map(({ step, failure }) => [step, failure?.kind])).toEqual([
      ['claim', 'TXT_MISMATCH'],
      ['address', undefined],
      ['address', undefined],
      ['pointer', undefined],
      ['counterclaim', undefined],
    ])
    expect(all.passed).toEqual([])
    expect(all.failure).toMatchObject({ kind: 'TXT_MISMATCH', step: 'claim' })
  })

  it('show only the first of many records, and shorten long ones', async () => {
    const { steps } = await verify(named('long'))
    expect(steps[0]?.found).toHaveLength(9)
    expect(steps[0]?.found.at(-1)).toBe('and 13 more')
    expect(Math.max(...steps[0]!.found.map(({ length }) => length))).toBeLessThan(130)
  })
})

it('an owner with another account does not pass', async () => {
  const verifyFor = createVerifier({ resolvers: [server] })
  const { failure } = await verifyFor(named('plain'), new Uint8Array(32))
  expect(failure).toMatchObject({ kind: 'TXT_MISMATCH' })
})

it('text that is not a host name is refused before any resolver is asked', async () => {
  const error = (await thrownBy(() => verify('https://example.test/x'))) as RpcError
  expect(error.kind).toBe('BAD_HOST')
})
