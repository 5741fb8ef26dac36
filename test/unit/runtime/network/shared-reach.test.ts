import { describe, expect } from 'vitest'
import {
  echoPort,
  host,
  hostPort,
  metadata,
  privateAddresses,
  publicAddress,
} from '../../../support/network-lab.ts'
import type { ReachAnswer } from '../../../support/network-probe.ts'
import { canShare, sharedTestMs, sharedTests } from '../../../support/shared-networks.ts'
import type { SharedJob } from '../../../support/shared-job.ts'
import { runProbe } from '../../../support/shared-programs.ts'

const test = sharedTests({ allow: ['10.9.8.0/24', 'fd12:3456:789a::/64'] })
const opened = privateAddresses.filter((address) => /^(?:10\.|fd12:)/.test(address))
const closed = [...privateAddresses.filter((address) => !opened.includes(address)), metadata]

const reach = (job: SharedJob, protocol: 'tcp' | 'udp', address: string, port: number) =>
  job.probe<ReachAnswer>(`reach-${protocol}`, address, port, '--ms=3000')
const refused = { answered: false, error: 'ECONNREFUSED' }
const protocols = ['tcp', 'udp'] as const
const ofHost = ['127.0.0.1', '127.0.0.2', '::1', host.v4, host.v6]

describe.skipIf(!canShare)('a job in the network of its host', { timeout: sharedTestMs }, () => {
  test('reaches what it serves itself', async ({ shared }) => {
    await using job = await shared.job()
    const answer = await job.probe('own')
    const ways = Object.entries(answer).filter(([name]) => /^(?:tcp|udp)/.test(name))
    expect(ways).toHaveLength(8)
    expect(ways.filter(([, error]) => error !== 'none')).toEqual([])
    expect(await job.counters()).toEqual({ admitted: 0, limited: 0, refused: 0 })
  })

  test.for(protocols)('reaches nothing of the host by %s', async (protocol, { shared }) => {
    await using job = await shared.job()
    for (const address of ofHost) {
      expect(await reach(job, protocol, address, hostPort)).toEqual(refused)
      // The job does not learn which ports are open.
      expect(await reach(job, protocol, address, hostPort + 1)).toEqual(refused)
    }
    expect(await shared.lab.local.heard()).toEqual([])
    expect(await job.counters()).toMatchObject({ refused: 2 * ofHost.length })
  })

  test.for(['lo', 'eth0'])(
    'reaches nothing of the host through a socket of %s',
    async (device, { shared }) => {
      await using job = await shared.job()
      for (const address of ofHost) {
        for (const command of ['reach-tcp', 'reach-udp']) {
          const words = [command, address, hostPort, '--ms=200', `--device=${device}`]
          expect(await job.probe(...words)).toMatchObject({ answered: false })
        }
      }
      expect(await shared.lab.local.heard()).toEqual([])
    },
  )

  test('reaches nothing of another job, which reaches itself', async ({ shared }) => {
    await using job = await shared.job()
    await using other = await shared.job()
    await using server = await other.serve(8123)
    for (const address of ofHost) {
      for (const protocol of protocols) {
        expect(await reach(job, protocol, address, 8123)).toEqual(refused)
      }
    }
    expect(server.heard).toEqual([])
    for (const protocol of protocols) {
      expect(await reach(other, protocol, '127.0.0.1', 8123)).toMatchObject({ answered: true })
    }
  })

  test('is reached by the host, and by nobody from outside', async ({ shared }) => {
    await using job = await shared.job()
    await using server = await job.serve(8124)
    const from = (where: 'host' | 'internet', protocol: string, address: string) =>
      runProbe(shared.lab[where].prefix, shared.program, [
        `reach-${protocol}`,
        address,
        8124,
        '--ms=300',
      ])
    expect(await from('host', 'tcp', '127.0.0.1')).toMatchObject({ answered: true })
    expect(server.heard).toHaveLength(1)
    for (const protocol of protocols) {
      for (const address of [host.v4, host.v6]) {
        expect(await from('internet', protocol, address)).toMatchObject({ answered: false })
      }
    }
    expect(server.heard).toHaveLength(1)
  })

  test('sends no broadcast or multicast', async ({ shared }) => {
    await using job = await shared.job()
    // A socket of the job itself listens there, too.
    await using server = await job.serve(8125)
    for (const address of ['127.255.255.255', '255.255.255.255', '93.184.216.255', '224.0.0.1']) {
      const script = `import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.SOL_SOCKET, socket.SO_BROADCAST, 1)
s.sendto(b"x", ("${address}", 8125))`
      const { stderr } = await job.run('/usr/bin/python3', '-c', script)
      expect(stderr).toContain('PermissionError')
    }
    expect(server.heard).toEqual([])
  })

  test('reaches private addresses only where they are opened', async ({ shared }) => {
    await using job = await shared.job()
    for (const protocol of protocols) {
      for (const address of opened) {
        expect(await reach(job, protocol, address, echoPort)).toEqual({
          answered: true,
          error: 'none',
        })
      }
      for (const address of closed) {
        const { answered, error } = await reach(job, protocol, address, echoPort)
        expect(answered).toBe(false)
        expect(protocol === 'tcp' ? ['EHOSTUNREACH', 'ECONNREFUSED'] : ['EPERM']).toContain(error)
        expect(await shared.lab.server.arrivals(address)).toEqual([])
      }
    }
    expect((await job.counters()).refused).toBeGreaterThanOrEqual(2 * closed.length)
  })

  test('cannot source-route its packets', async ({ shared }) => {
    await using job = await shared.job()
    const address = publicAddress(77)
    // Any IP options; which ones a user may set depends on the kernel.
    const script = `import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.setsockopt(socket.IPPROTO_IP, socket.IP_OPTIONS, bytes([1, 1, 1, 0]))
s.sendto(b"x", ("${address}", 7))`
    const { stderr } = await job.run('/usr/bin/python3', '-c', script)
    expect(stderr).toContain('PermissionError')
    expect(await shared.lab.server.arrivals(address)).toEqual([])
    expect(await job.counters()).toMatchObject({ refused: 1 })
  })
})
