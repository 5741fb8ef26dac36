/**
 * That no job reaches more than it may, nor faster, by the real command in a lab network: in both
 * modes of the network and both backends of the sandbox.
 */
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { labParts, openLimitedLab, rest, tolerated, ways } from '../support/limited-lab.ts'
import { addressOf, attempts } from '../support/network-attempts.ts'
import type { JobParts, LabDaemon } from '../support/network-daemon.ts'
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
import type { ReachAnswer } from '../support/network-probe.ts'
import { excess, excessOfPackets } from '../support/network-rate.ts'
import type { Arrival } from '../support/network-server.ts'
import { temporaryFolder } from '../support/temporary-folder.ts'

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
    beforeAll(async () => {
      lab = await openLimitedLab(parts, way)
    })
    afterAll(() => lab?.[Symbol.asyncDispose]())

    const arrivals = (address: string) => lab.lab.server.arrivals(address)

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
  },
)

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
