/**
 * Zones with a name for each case of a verification.
 * @module
 */
import { createHash } from 'node:crypto'
import { broken, type Zones } from '../../../support/name-server.ts'

export const source = Uint8Array.from({ length: 32 }, (_, at) => at + 1)
export const zone = 'example.test'
export const named = (label: string) => `${label}.${zone}`

/** The digest of the runtime spec, implemented a second time. */
export function digest(name: string): string {
  const hash = createHash('sha256')
  return `v=${hash.update(Buffer.concat([source, Buffer.from(name)])).digest('base64')}`
}

const forward: string[] = []
const reverse4: string[] = []
const reverse6: string[] = []

const add = (...records: string[]) => void forward.push(...records)
const claim = (name: string, of = name) => add(`_acu.${name}. TXT "${digest(of)}"`)
const wrongClaim = (name: string) => add(`_acu.${name}. TXT "v=${'A'.repeat(43)}="`)
const address = (name: string, ...ips: string[]) =>
  add(...ips.map((ip) => `${name}. ${ip.includes(':') ? 'AAAA' : 'A'} ${ip}`))
const pointer = (ip: string, target: string, ttl = 300) =>
  void reverse4.push(`${ip.split('.').toReversed().join('.')} ${ttl} PTR ${target}`)

/** A host whose addresses point back at it. */
function consenting(label: string, ...ips: string[]): void {
  claim(named(label))
  address(named(label), ...ips)
  for (const ip of ips) pointer(ip, `${named(label)}.`)
}

/** A host that consents, with what its address points to. */
function pointingTo(label: string, ip: string, ...targets: string[]): void {
  claim(named(label))
  address(named(label), ip)
  for (const target of targets) pointer(ip, target)
}

const halves = (text: string) => `"${text.slice(0, 20)}" "" "${text.slice(20)}"`
const other = (at: number) => `"other ${String(at).padStart(240, '.')}"`
const count = (length: number, from = 0) => Array.from({ length }, (_, at) => at + from)

consenting('plain', '93.184.1.1')

address(named('split'), '93.184.1.2')
add(`_acu.${named('split')}. TXT ${halves(digest(named('split')))}`)
pointer('93.184.1.2', `${named('split')}.`)

consenting('several', '93.184.1.3')
add(...count(3).map((at) => `_acu.${named('several')}. TXT "v=someone else ${at}"`))

consenting('long', '93.184.1.4')
add(...count(20).map((at) => `_acu.${named('long')}. TXT ${other(at)}`))

claim(named('alias'))
add(`${named('alias')}. 100 CNAME ${named('aliased')}.`)
consenting('aliased', '93.184.1.5')

add(`_acu.${named('delegated')}. 70 CNAME claims.${zone}.`)
add(`claims.${zone}. TXT "${digest(named('delegated'))}"`)
address(named('delegated'), '93.184.1.6')
pointer('93.184.1.6', `${named('plain')}.`)

claim(named('six'))
address(named('six'), '2a00:1450:4001:81b::200e')
reverse6.push(
  `e.0.0.2.0.0.0.0.0.0.0.0.0.0.0.0.b.1.8.0.1.0.0.4.0.5.4.1.0.0.a.2 PTR ${named('six')}.`,
)

consenting('both', '93.184.1.7')
address(named('both'), '2a00:1450::5')

pointingTo('no-pointer', '93.184.1.8')
pointingTo('silent', '93.184.1.9', `no-claim.${zone}.`)
pointingTo('strange', '93.184.1.10', `wrong-claim.${zone}.`)
wrongClaim(`wrong-claim.${zone}`)
pointingTo('elsewhere', '93.184.1.11', 'machine-7.hosting.test.')
pointingTo('two-names', '93.184.1.12', `no-claim.${zone}.`, `${named('plain')}.`)

pointingTo('mixed', '93.184.1.13', `${named('mixed')}.`)
address(named('mixed'), '93.184.1.14', '93.184.1.15', '10.0.0.1')
pointer('93.184.1.15', `no-claim.${zone}.`)

wrongClaim(named('mismatch'))
address(named('mismatch'), '93.184.1.16')
pointer('93.184.1.16', `${named('plain')}.`)
address(named('unclaimed'), '93.184.1.17')
claim(named('homeless'))
add(`${named('nodata')}. HINFO a b`, `_acu.${named('nodata')}. HINFO a b`)

add(`_acu.${named('circle')}. CNAME one.${zone}.`, `one.${zone}. CNAME two.${zone}.`)
add(`two.${zone}. CNAME one.${zone}.`)
claim(named('far'))
add(`${named('far')}. CNAME hop-1.${zone}.`)
add(...count(40, 1).map((at) => `hop-${at}.${zone}. CNAME hop-${at + 1}.${zone}.`))
address(`hop-41.${zone}`, '93.184.1.18')
// The address is seven aliases further.
claim(named('near'))
add(`${named('near')}. CNAME hop-34.${zone}.`)
pointer('93.184.1.18', `${named('near')}.`)

export const manyAddresses = count(200, 1).map((at) => `93.185.0.${at}`)
consenting('many', ...manyAddresses)

address(named('given'), '93.184.1.19')
claim(named('given'), 'Given.Example.Test')
pointer('93.184.1.19', `${named('given')}.`)

// Each record is over another spelling of the host.
address(`xn--bcher-kva.${zone}`, '93.184.1.27')
claim(`xn--bcher-kva.${zone}`, `Bücher.${zone}`)
pointer('93.184.1.27', `xn--bcher-kva.${zone}.`)

consenting('private', '10.1.2.3')
consenting('metadata', '169.254.169.254')

pointingTo('dotted', '93.184.1.20', `plain\\.${zone}.`)
pointingTo('nul', '93.184.1.21', `plain\\000.${zone}.`)
pointingTo('rooted', '93.184.1.22', '.')
pointingTo('numbered', '93.184.1.23', '93.184.1.1.')
pointingTo(
  'longest',
  '93.184.1.24',
  `${[1, 2, 3].map(() => 'a'.repeat(60)).join('.')}.${'b'.repeat(55)}.${zone}.`,
)
pointingTo('spaced', '93.184.1.25', `a\\032b.${zone}.`)
pointingTo('upper', '93.184.1.26', `UPPER.${zone.toUpperCase()}.`)

function timed(label: string, ip: string, ...ttls: [number, number, number]): void {
  const [claimTtl, addressTtl, pointerTtl] = ttls
  add(`_acu.${named(label)}. ${claimTtl} TXT "${digest(named(label))}"`)
  add(`${named(label)}. ${addressTtl} A ${ip}`)
  pointer(ip, `${named(label)}.`, pointerTtl)
}
timed('short-claim', '93.184.1.30', 90, 300, 300)
timed('short-address', '93.184.1.31', 300, 95, 300)
timed('short-pointer', '93.184.1.32', 300, 300, 99)
timed('no-time', '93.184.1.33', 0, 300, 300)
timed('for-ever', '93.184.1.34', 2_000_000, 2_000_000, 2_000_000)

claim('machine-7.hosting.test')

const lines = (records: readonly string[]) => `${records.join('\n')}\n`

export const zones: Zones = {
  [zone]: lines(forward.filter((record) => !record.includes('hosting.test. TXT'))),
  'hosting.test': `_acu.machine-7 TXT "${digest('machine-7.hosting.test')}"\n`,
  'in-addr.arpa': lines(reverse4),
  'ip6.arpa': lines(reverse6),
  'broken.test': broken,
}

/** The names and types for which another server is asked, record by record. */
export const allNames: readonly { name: string; type: 'TXT' | 'PTR' }[] = [
  ...namesOf(forward, / TXT /).map((name) => ({ name: name.slice(0, -1), type: 'TXT' as const })),
  ...namesOf(reverse4, / PTR /).map((name) => ({
    name: `${name}.in-addr.arpa`,
    type: 'PTR' as const,
  })),
  ...namesOf(reverse6, / PTR /).map((name) => ({ name: `${name}.ip6.arpa`, type: 'PTR' as const })),
]

function namesOf(records: readonly string[], type: RegExp): string[] {
  return [...new Set(records.filter((one) => type.test(one)).map((one) => one.split(' ')[0]!))]
}
