/**
 * How fast jobs reach addresses, by the real command in a lab network: in both modes of the network
 * and both backends of the sandbox.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { causeway } from '../support/causeway.ts'
import {
  bytes,
  labParts,
  openLimitedLab,
  patience,
  rate,
  rest,
  tolerated,
  ways,
} from '../support/limited-lab.ts'
import type { JobParts, LabDaemon } from '../support/network-daemon.ts'
import {
  echoPort,
  isRoot,
  needsRoot,
  publicAddress,
  publicAddress6,
} from '../support/network-lab.ts'
import { source, startNames } from '../support/network-names.ts'
import { connectionsOf, excess, rateAfterBurst } from '../support/network-rate.ts'
import type { Arrival } from '../support/network-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

const consenting = { name: 'good.test', v4: publicAddress(80), v6: publicAddress6(80) }

let folder: Awaited<ReturnType<typeof temporaryFolder>>
let parts: JobParts
beforeAll(async () => {
  folder = await temporaryFolder()
  parts = await labParts(folder.path)
})
afterAll(() => folder[Symbol.asyncDispose]())

describe.skipIf(!isRoot).each(ways)(
  `$mode network, backend $backend (${needsRoot})`,
  { concurrent: true },
  (way) => {
    let lab: LabDaemon
    let names: AsyncDisposable
    beforeAll(async () => {
      lab = await openLimitedLab(parts, way)
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
      // Both start now: how long that takes depends on what else the host does.
      const answers = await lab.run('calm', [
        'busy pause 1500',
        `calm tcp ${calm} ${echoPort} --count=${rate.burst} --ms=20000`,
      ])
      expect(answers.get('calm')).toMatchObject([{ opened: rate.burst }])
      expect((await first).get('busy')).toMatchObject([{ opened: 200 }])
      const [others, own] = [await arrivals(busy), await arrivals(calm)]
      expect(own).toHaveLength(rate.burst)
      expect(own.at(-1)!.at).toBeLessThan(others.at(-1)!.at)
      expect(spread(own)).toBeLessThan(0.5)
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

/** Seconds between the first arrival and the last. */
const spread = (arrived: readonly Arrival[]) => arrived.at(-1)!.at - arrived[0]!.at
