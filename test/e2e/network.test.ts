/**
 * Which addresses jobs reach and how fast, by the real command in a lab network: in both modes of
 * the network and both backends of the sandbox.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway } from '../support/causeway.ts'
import { addressOf, attempts } from '../support/network-attempts.ts'
import { openLabDaemon, type LabDaemon } from '../support/network-daemon.ts'
import {
  echoPort,
  host,
  hostPort,
  isRoot,
  metadata,
  needsRoot,
  privateAddresses,
  publicAddress,
  publicAddress6,
} from '../support/network-lab.ts'
import { resolver, source, startNames } from '../support/network-names.ts'
import { compileNetworkProbe, type ReachAnswer } from '../support/network-probe.ts'
import { connectionsOf, excess, excessOfPackets, rateAfterBurst } from '../support/network-rate.ts'
import type { Arrival } from '../support/network-server.ts'
import { recipeImage } from '../support/recipe-image.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const rate = { perSecond: 40, burst: 20 }
/** Tolerances of the measurements; a busy machine is no fault. */
const tolerated = { perSecond: 1.25 * rate.perSecond, burst: rate.burst + 2 }
const bytes = { perSecond: 1_000_000, burst: 1_000_000 }
const ways = (['isolated', 'shared'] as const).flatMap((mode) =>
  (['proot', 'namespaces'] as const).map((backend) => ({ mode, backend })),
)
type Way = (typeof ways)[number]

const config = ({ mode, backend }: Way) => `[network]
mode = "${mode}"
connectionsPerSecond = ${rate.perSecond}
connectionBurst = ${rate.burst}
dnsPerSecond = ${rate.perSecond}
dnsBurst = ${rate.burst}
bytesPerSecond = ${bytes.perSecond}
byteBurst = ${bytes.burst}
resolvers = ["${resolver}"]
[sandbox]
backend = "${backend}"
`

const consenting = { name: 'good.test', v4: publicAddress(80), v6: publicAddress6(80) }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let image: { url: string; sha256: string }
let probe: Buffer
beforeAll(async () => {
  folder = await temporaryFolder()
  image = await recipeImage('minimal')
  probe = await compileNetworkProbe(folder.path)
})
afterAll(() => folder[Symbol.asyncDispose]())

// A dropped packet must be sent again; a waiting one must not.
const patience = ({ mode }: Way) => (mode === 'shared' ? '--again=50' : '')

/** Enough time to refill the limit's bucket. */
const rest = 'rest pause 700'

describe.skipIf(!isRoot).each(ways)(
  `$mode network, backend $backend (${needsRoot})`,
  { concurrent: true },
  (way) => {
    let lab: LabDaemon
    let names: AsyncDisposable
    beforeAll(async () => {
      lab = await openLabDaemon({ folder: folder.path, image, probe }, config(way))
      const zones = `${folder.path}/names-${way.mode}-${way.backend}`
      names = await startNames(lab.lab, zones, [consenting])
    })
    afterAll(async () => {
      await names?.[Symbol.asyncDispose]()
      await lab?.[Symbol.asyncDispose]()
    })

    const arrivals = (address: string) => lab.lab.server.arrivals(address)

    test.for([
      { family: 'IPv4', address: publicAddress(10) },
      { family: 'IPv6', address: publicAddress6(10) },
    ])('200 connections at once by $family go at the rate', async ({ family, address }) => {
      const command = `burst tcp ${address} ${echoPort} --count=200 --ms=20000 ${patience(way)}`
      const answers = await lab.run(`burst-${family}`, [command])
      expect(answers.get('burst')).toMatchObject([{ opened: 200, waiting: 0, refused: 0 }])
      const seen = await arrivals(address)
      const measured = rateAfterBurst(seen, rate)
      expect(measured).toBeGreaterThan(0.75 * rate.perSecond)
      expect(measured).toBeLessThan(1.25 * rate.perSecond)
      expect(excess(seen, tolerated)).toBeLessThanOrEqual(0)
    })

    test('a whitelisted host is reached without waiting, others still wait', async () => {
      const other = publicAddress(81)
      await lab.start(
        'whitelist',
        [
          `before tcp ${consenting.v4} ${echoPort} --count=60 --ms=20000 ${patience(way)}`,
          `refused call network_whitelist '[{"host":"bad.test"}]'`,
          `admitted call network_whitelist '[{"host":"good.test"}]'`,
          `after4 tcp ${consenting.v4} ${echoPort} --count=200 --ms=5000`,
          `after6 tcp ${consenting.v6} ${echoPort} --count=200 --ms=5000 --raw`,
          `datagrams udp ${consenting.v4} ${echoPort} --count=200 --ms=5000 --connected`,
          `other tcp ${other} ${echoPort} --count=60 --ms=20000 ${patience(way)}`,
          'last serve 7000',
        ],
        { origin: { source } },
      )
      await lab.answer('whitelist', 'last')
      const answers = await lab.answers('whitelist')
      expect(answers.get('before')).toMatchObject([{ opened: 60 }])
      expect(answers.get('refused')).toMatchObject([{ error: { data: { kind: 'TXT_MISSING' } } }])
      expect(answers.get('admitted')).toMatchObject([{ result: {} }])
      expect(answers.get('after4')).toMatchObject([{ opened: 200 }])
      expect(answers.get('after6')).toMatchObject([{ opened: 200 }])
      expect(answers.get('datagrams')).toMatchObject([{ opened: 200 }])
      expect(answers.get('other')).toMatchObject([{ opened: 60 }])

      const v4 = connectionsOf(await arrivals(consenting.v4))
      const stages = [v4.slice(0, 60), v4.slice(60, 260), v4.slice(260)]
      expect(excess(stages[0]!, tolerated)).toBeLessThanOrEqual(0)
      for (const free of [stages[1]!, stages[2]!, connectionsOf(await arrivals(consenting.v6))]) {
        expect(free).toHaveLength(200)
        expect(spread(free)).toBeLessThan(200 / (5 * rate.perSecond))
      }
      expect(excess(await arrivals(other), tolerated)).toBeLessThanOrEqual(0)

      const listed = await causeway([
        'whitelist',
        'list',
        'whitelist',
        '--json',
        '--state',
        lab.state,
      ])
      expect(listed, listed.stderr).toMatchObject({ code: 0 })
      const view = JSON.parse(listed.stdout) as NetworkList
      expect(view).toMatchObject({
        mode: way.mode,
        missing: [],
        limits: { connectionsPerSecond: rate.perSecond, connectionBurst: rate.burst },
        hosts: [{ host: 'good.test' }],
      })
      expect(view.hosts[0]!.addresses.map(({ address }) => address).sort()).toEqual(
        [consenting.v4, consenting.v6].sort(),
      )
      expect(view.counters.admitted).toBe(600)
      expect(view.counters.limited).toBeGreaterThan(0)
      await lab.remove('whitelist')
    })

    test('a limited deployment does not delay another', async () => {
      const [busy, calm] = [publicAddress(20), publicAddress(21)]
      const hold = `busy tcp ${busy} ${echoPort} --count=200 --ms=20000 ${patience(way)}`
      const first = lab.run('busy', [hold])
      await expect.poll(() => arrivals(busy), { timeout: 20_000 }).not.toEqual([])
      const answers = await lab.run('calm', [
        `calm tcp ${calm} ${echoPort} --count=${rate.burst} --ms=20000`,
      ])
      expect(answers.get('calm')).toMatchObject([{ opened: rate.burst }])
      expect((await first).get('busy')).toMatchObject([{ opened: 200 }])
      const [others, own] = [await arrivals(busy), await arrivals(calm)]
      expect(own).toHaveLength(rate.burst)
      expect(own.at(-1)!.at).toBeLessThan(others.at(-1)!.at)
      expect(spread(own)).toBeLessThan(0.5)
    })

    test('nothing bypasses the limit', async () => {
      const rows = attempts.map((row, index) => ({ ...row, address: addressOf(row, index) }))
      const commands = rows.flatMap(({ name, address, port = echoPort, options }) => [
        rest,
        `${name} ${options.replace('ADDRESS', address).replace('PORT', String(port))}`,
      ])
      const answers = await lab.run('attempts', [...commands, 'end pause 3000'])
      const seen = await Promise.all(
        rows.map(async (row) => ({ ...row, arrived: await arrivals(row.address) })),
      )
      const missing = seen.filter(({ arrived, isRefused }) => !isRefused && arrived.length === 0)
      expect(missing.map(({ name }) => [name, answers.get(name)])).toEqual([])
      const isName = ({ protocol, port }: Arrival) => protocol === 17 && port === 53
      const all = seen.flatMap(({ arrived }) => arrived)
      const [names, connections] = [all.filter(isName), all.filter((one) => !isName(one))]
      expect(seen.find(({ name }) => name === 'fast-open')!.arrived.some(carriesData)).toBe(true)
      expect(excess(connections, tolerated)).toBeLessThanOrEqual(0)
      expect(excessOfPackets(names, tolerated)).toBeLessThanOrEqual(0)
      // A larger packet would be counted once, and cut up later.
      expect(Math.max(...names.map(({ length }) => length))).toBeLessThanOrEqual(1500)
    })

    test('nothing of the host, of another job or private is reachable', async () => {
      await lab.start('neighbour', ['serving serve 7100'])
      const neighbour = (await lab.answer('neighbour', 'serving')) as { v4: string; v6: string }
      const { current } = await lab.daemon.inspect('neighbour')
      expect(current?.socket).toMatch(/^causeway-/)
      const targets = [
        ...['127.0.0.1', '::1', '127.1.2.3', '0.0.0.0', '::', host.v4, host.v6].map(at(hostPort)),
        ...(way.mode === 'isolated' ? ['gateway4', 'gateway6'] : []).map(at(hostPort)),
        ...['fe80::1%eth0', '::ffff:127.0.0.1'].map(at(hostPort)),
        ...['127.0.0.1', '::1', neighbour.v4, neighbour.v6].map(at(7100)),
        ...[...privateAddresses, metadata, '::ffff:10.9.8.7'].map(at(echoPort)),
      ]
      const commands = targets.flatMap(({ address, port }, index) => [
        `tcp-${index} reach-tcp ${address} ${port} --ms=3000`,
        `udp-${index} reach-udp ${address} ${port} --ms=300`,
      ])
      const answers = await lab.run('reacher', [
        ...commands,
        ...['ff02::1%eth0', '224.0.0.1', '255.255.255.255'].map(
          (address, index) => `many-${index} reach-udp ${address} ${hostPort} --ms=300`,
        ),
        `socket abstract ${lab.lab.abstract}`,
        `bridge abstract ${current!.socket}`,
        `control reach-tcp ${publicAddress(30)} ${echoPort}`,
        `control-udp reach-udp ${publicAddress6(30)} ${echoPort}`,
      ])
      const tried = [...answers].map(([label, [answer]]) => {
        const target = targets[Number(/^(?:tcp|udp)-(\d+)$/.exec(label)?.[1])]
        return { label, target, ...(answer as unknown as ReachAnswer) }
      })
      const reached = tried.filter(({ answered }) => answered)
      // A shared network shows both; the bridge itself checks its callers.
      const common = way.mode === 'shared' ? ['socket', 'bridge'] : []
      expect(reached.map(({ label }) => label)).toEqual([...common, 'control', 'control-udp'])
      const byTcp = tried.filter(({ label }) => label.startsWith('tcp-'))
      expect(byTcp).toHaveLength(targets.length)
      expect(byTcp.filter(({ error }) => !refusals.includes(error))).toEqual([])
      const heard = await lab.lab.local.heard()
      expect(heard.filter(({ protocol }) => protocol !== 'unix')).toEqual([])
      expect((await lab.answers('neighbour')).get('serving')).toHaveLength(1)
      for (const address of [...privateAddresses, metadata])
        expect(await arrivals(address), address).toEqual([])
      await lab.remove('neighbour')
    })

    test("its own servers and its bridge work; it cannot change the network's settings", async () => {
      const answers = await lab.run('own', [
        'own own',
        "bridge call deployment_id '[]'",
        'rights rights',
      ])
      const loopback = { tcp4: 'none', udp4: 'none', tcp6: 'none', udp6: 'none' }
      const everywhere = { tcpOwn4: 'none', udpOwn4: 'none', tcpOwn6: 'none', udpOwn6: 'none' }
      const isolated = { ...loopback, ...everywhere, port80: 'none' }
      expect(answers.get('own')).toMatchObject([way.mode === 'isolated' ? isolated : loopback])
      expect(answers.get('bridge')).toMatchObject([{ result: { id: 'own' } }])
      const [rights] = answers.get('rights')!
      for (const [name, error] of Object.entries(rights!)) expect(error, name).not.toBe('none')
    })

    test('networkRequests limits the connections of an execution', async () => {
      const address = publicAddress(40)
      const answers = await lab.run(
        'capped',
        [
          `within tcp ${address} ${echoPort} --count=10 --ms=5000`,
          rest,
          `beyond tcp ${address} ${echoPort} --count=10 --ms=5000`,
          rest,
          `datagrams udp ${address} ${echoPort} --count=10 --ms=1000 --connected`,
          `fastopen tcp ${address} ${echoPort} --count=10 --ms=1000 --fast-open`,
        ],
        { networkRequests: 15 },
      )
      expect(connectionsOf(await arrivals(address))).toHaveLength(15)
      expect(answers.get('within')).toMatchObject([{ opened: 10 }])
      expect(answers.get('beyond')).toMatchObject([
        { opened: 5, refused: 5, error: 'EHOSTUNREACH' },
      ])
      expect(answers.get('datagrams')).toMatchObject([{ opened: 0, refused: 10 }])
      expect(answers.get('fastopen')).toMatchObject([{ opened: 0 }])
    })

    test.for(['tcp', 'udp'])('bytes by %s arrive at their rate', async (protocol) => {
      const address = publicAddress(protocol === 'tcp' ? 50 : 51)
      const seconds = 3
      const answers = await lab.run(`pour-${protocol}`, [
        `pour pour-${protocol} ${address} ${echoPort} --ms=${seconds * 1000}`,
      ])
      const [{ sent }] = answers.get('pour') as unknown as [{ sent: number }]
      const got = await lab.lab.server.octets(address)
      expect(got).toBeLessThan(1.15 * (bytes.burst + seconds * bytes.perSecond))
      expect(got).toBeGreaterThan(0.25 * seconds * bytes.perSecond)
      expect(sent).toBeGreaterThan(0)
    })
  },
)

interface NetworkList {
  counters: Record<'admitted' | 'limited' | 'refused', number>
  hosts: { host: string; addresses: { address: string }[] }[]
}

/** Errors that distinguish a refusal from a slow host. */
const refusals = [
  'ECONNREFUSED',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'EACCES',
  'EPERM',
  'EINVAL',
  'ENODEV',
  'EADDRNOTAVAIL',
]

const at = (port: number) => (address: string) => ({ address, port })

const carriesData = ({ carries }: Arrival) => carries > 0

/** Seconds between the first arrival and the last. */
const spread = (arrived: readonly Arrival[]) => arrived.at(-1)!.at - arrived[0]!.at
