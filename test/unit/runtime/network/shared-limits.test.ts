import { describe, expect } from 'vitest'
import { run } from '../../../support/causeway.ts'
import type { Arrival } from '../../../support/network-server.ts'
import { echoPort, publicAddress, publicAddress6 } from '../../../support/network-lab.ts'
import type { BurstAnswer } from '../../../support/network-probe.ts'
import {
  canShare,
  sharedTestMs,
  sharedTests,
  type SharedLab,
} from '../../../support/shared-networks.ts'
import type { SharedJob } from '../../../support/shared-job.ts'
import { settings } from '../../../support/shared-networks-process.ts'

const test = sharedTests()
const { connectionsPerSecond: rate, connectionBurst: burst, dnsPerSecond, dnsBurst } = settings

describe.skipIf(!canShare)('a job in the network of its host', { timeout: sharedTestMs }, () => {
  let lastNumber = 0
  const next = (family: 4 | 6 = 4) => {
    lastNumber++
    return family === 4 ? publicAddress(lastNumber) : publicAddress6(lastNumber)
  }
  const burstOf = (job: SharedJob, address: string, ...options: string[]) =>
    job.probe<BurstAnswer>('tcp', address, echoPort, ...options)

  test.for([4, 6] as const)(
    'opens connections over IPv%i at the rate, after a burst',
    async (family, { shared }) => {
      await using job = await shared.job()
      const address = next(family)
      const answer = await burstOf(job, address, '--count=60', '--ms=15000')
      expect(answer).toMatchObject({ opened: 60, refused: 0 })
      const arrivals = await shared.lab.server.arrivals(address)
      expect(arrivals).toHaveLength(60)
      const perSecond = (60 - burst) / (arrivals[59]!.at - arrivals[burst - 1]!.at)
      expect(perSecond).toBeGreaterThan(0.75 * rate)
      expect(perSecond).toBeLessThan(1.25 * rate)
      expect(await job.counters()).toMatchObject({ admitted: 0, refused: 0 })
      expect((await job.counters()).limited).toBeGreaterThanOrEqual(40)
    },
  )

  test('leaves other deployments and other processes alone', async ({ shared }) => {
    await using job = await shared.job()
    await using other = await shared.job()
    const [address, its, nobodys] = [next(), next(), next()]
    const first = await burstOf(job, address, '--count=60', '--ms=200')
    expect(first.opened).toBeLessThan(60)
    expect((await burstOf(other, its, `--count=${burst}`, '--ms=900')).opened).toBe(burst)
    const [program, ...words] = [
      ...shared.lab.host.prefix,
      'setpriv',
      '--reuid=65534',
      '--',
      shared.program,
    ]
    const { stdout } = await run(program!, [
      ...words,
      'it',
      'tcp',
      nobodys,
      `${echoPort}`,
      '--count=200',
      '--ms=900',
    ])
    expect(stdout).toContain('"opened":200')
  })

  test.for([4, 6] as const)(
    'bypasses the limits to admitted addresses of IPv%i',
    async (family, { shared }) => {
      await using job = await shared.job()
      const [admitted, other] = [next(family), next(family)]
      await job.admit([{ address: admitted, seconds: 60 }])
      expect((await burstOf(job, admitted, '--count=200', '--ms=900')).opened).toBe(200)
      expect((await burstOf(job, other, '--count=100', '--ms=300')).opened).toBeLessThan(50)
      expect(await job.counters()).toMatchObject({ admitted: 200, refused: 0 })
      await job.revoke([admitted])
      expect((await burstOf(job, admitted, '--count=100', '--ms=300')).opened).toBeLessThan(50)
      expect(await job.counters()).toMatchObject({ admitted: 200 })
    },
  )

  /** Packets that opened a connection, and how many the limit allows in the time. */
  async function around({ lab }: SharedLab, job: SharedJob, address: string, ...words: string[]) {
    const started = Date.now()
    await job.probe(...(words as [string]))
    const seconds = (Date.now() - started) / 1000
    const arrivals = await lab.server.arrivals(address)
    return { arrivals, most: burst + Math.ceil(rate * seconds) + 1 }
  }

  // Command, family, options, and whether any packet gets through.
  const ways = [
    ['tcp', 4, ['--raw'], true],
    ['tcp', 4, ['--protocol=262'], true], // MPTCP: sockets that the kernel makes
    ['tcp', 6, ['--protocol=262'], true],
    ['tcp', 4, ['--fast-open'], true],
    ['tcp', 4, ['--source-ports'], true],
    ['tcp', 4, ['--abandon'], true],
    ['tcp', 4, ['--device=eth0'], true],
    ['tcp', 4, ['--device=lo'], false],
    ['tcp', 4, ['--processes=20'], true],
    ['tcp', 6, ['--routing-header'], false],
    ['udp', 6, ['--routing-header'], false],
    ['udp', 4, [], true],
    ['udp', 6, ['--source-ports'], true],
    ['udp', 4, ['--connected'], true],
    ['udp', 4, ['--many'], true],
    ['udp', 4, ['--bytes=4000'], false], // what is sent as fragments, or may be many by UDP_SEGMENT
    ['udp', 6, ['--bytes=4000'], false],
    ['udp', 4, ['--protocol=136'], true], // UDP-Lite
    ['udp', 6, ['--protocol=136'], true],
  ] as const

  test.for(ways)(
    'cannot get around the limits by %s over IPv%i %j',
    async ([command, family, options, passes], { shared }) => {
      await using job = await shared.job()
      const address = next(family)
      const words = [command, address, `${echoPort}`, '--count=200', '--ms=300', ...options]
      const { arrivals, most } = await around(shared, job, address, ...words)
      expect(arrivals.length).toBeLessThanOrEqual(passes ? most : 0)
      expect(arrivals.length).toBeGreaterThanOrEqual(passes ? burst - 1 : 0)
    },
  )

  test('sends any number of datagrams in a UDP flow that was let through', async ({ shared }) => {
    await using job = await shared.job()
    const address = next()
    await job.probe('pour-udp', address, echoPort, '--ms=300')
    const arrivals = await shared.lab.server.arrivals(address)
    expect(arrivals.length).toBeGreaterThan(10 * burst)
    expect(new Set(arrivals.map(({ source }: Arrival) => source)).size).toBe(1)
    expect(await job.counters()).toEqual({ admitted: 0, limited: 0, refused: 0 })
  })

  test('sends large datagrams in such a flow, and gets them', async ({ shared }) => {
    await using job = await shared.job()
    for (const [index, address] of [next(), next(6)].entries()) {
      const script = `import socket
s = socket.socket(${index === 0 ? 'socket.AF_INET' : 'socket.AF_INET6'}, socket.SOCK_DGRAM)
s.settimeout(10)
s.connect(("${address}", ${echoPort}))
for size in (2, 1200, 4000, 30000):
    s.send(b"x" * size)
    print(len(s.recv(65536)))`
      const { stdout, stderr } = await job.run('/usr/bin/python3', '-c', script)
      expect(stderr).toBe('')
      expect(stdout).toBe('2\n1200\n4000\n30000\n')
    }
    expect(await job.counters()).toEqual({ admitted: 0, limited: 0, refused: 0 })
  })

  test('sends name queries to admitted addresses without a limit', async ({ shared }) => {
    await using job = await shared.job()
    for (const address of [next(), next(6)]) {
      await job.admit([{ address, seconds: 60 }])
      const words = [address, 53, '--count=150', '--ms=900', '--connected']
      expect(await job.probe('udp', ...words)).toMatchObject({ opened: 150, refused: 0 })
    }
    expect(await job.counters()).toEqual({ admitted: 300, limited: 0, refused: 0 })
  })

  test('has a budget of its own for name queries', async ({ shared }) => {
    await using job = await shared.job()
    const [address, other] = [next(), next()]
    const started = Date.now()
    await job.probe('udp', address, 53, '--count=100', '--ms=300', '--connected')
    const most = dnsBurst + Math.ceil((dnsPerSecond * (Date.now() - started)) / 1000) + 1
    const { length } = await shared.lab.server.arrivals(address)
    expect(length).toBeGreaterThanOrEqual(dnsBurst)
    expect(length).toBeLessThanOrEqual(most)
    expect((await burstOf(job, other, `--count=${burst}`, '--ms=900')).opened).toBe(burst)
  })

  test('makes no more connections than its deployment may', async ({ shared }) => {
    await using job = await shared.job({ maxConnections: 5 })
    const [address, admitted] = [next(), next()]
    await job.admit([{ address: admitted, seconds: 60 }])
    expect((await burstOf(job, admitted, '--count=3', '--ms=900')).opened).toBe(3)
    const answer = await burstOf(job, address, '--count=10', '--ms=900')
    expect(answer).toMatchObject({ opened: 2, refused: 8, error: 'EHOSTUNREACH' })
    expect((await burstOf(job, admitted, '--count=4', '--ms=900')).opened).toBe(0)
    expect(await job.counters()).toMatchObject({ admitted: 3, refused: 12 })
  })

  test('is limited under any of its uids', async ({ shared }) => {
    await using job = await shared.job({ count: 65_536 })
    const answer = await burstOf(job, next(), '--count=100', '--ms=300')
    expect(answer.opened).toBeGreaterThanOrEqual(burst)
    expect(answer.opened).toBeLessThan(50)
  })

  test('costs the host no connection tracking', async ({ shared }) => {
    const file = '/proc/sys/net/netfilter/nf_conntrack_count'
    const count = await shared.lab.host.script(
      `if [ -e ${file} ]; then cat ${file}; else echo 0; fi`,
    )
    expect(count).toBe('0\n')
  })
})
