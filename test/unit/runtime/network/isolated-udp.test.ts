import { describe, expect } from 'vitest'
import { admitScript } from '../../../../runtime/src/job-network/rules/rule-changes.ts'
import { nothingAdmitted } from '../../../../runtime/src/job-network/rules/ruleset.ts'
import { isolatedTest as test, type IsolatedLab } from '../../../support/isolated-lab.ts'
import {
  echoPort,
  host,
  isRoot,
  needsRoot,
  publicAddress,
  publicAddress6,
} from '../../../support/network-lab.ts'
import type { BurstAnswer } from '../../../support/network-probe.ts'
import { settings } from '../../../support/shared-networks-process.ts'

const { connectionsPerSecond: rate, connectionBurst: burst } = settings
const timeout = 60_000
/** A port at which nobody answers. */
const closedPort = 9

/** Sends datagrams in flows, each flow `times` times. */
const sendFlows = (address: string, flows: number, times: number, port = closedPort) => `
import socket, time
family = socket.AF_INET6 if ":" in "${address}" else socket.AF_INET
sockets = [socket.socket(family, socket.SOCK_DGRAM) for _ in range(${flows})]
for _ in range(${times}):
    for s in sockets: s.sendto(b"hi", ("${address}", ${port}))
    time.sleep(0.1)
`

const first = publicAddress(1)
const first6 = publicAddress6(1)

describe.skipIf(!isRoot)(`UDP of an isolated job (${needsRoot})`, { timeout }, () => {
  test.for([first, first6])(
    'a flow to %s that nobody answers does not get past its first datagram',
    async (address, { isolated }) => {
      const started = Date.now()
      await isolated.python(sendFlows(address, 100, 5))
      const arrivals = await isolated.lab.server.arrivals(address)
      const seconds = (Date.now() - started) / 1000
      expect(arrivals.length).toBeGreaterThanOrEqual(burst)
      expect(arrivals.length).toBeLessThanOrEqual(burst + rate * seconds + 1)
    },
  )

  test.for([first, first6])(
    'a flow to %s that is answered continues, also with large datagrams',
    async (address, { isolated }) => {
      const answered = await isolated.python(`
import socket
s = socket.socket(socket.AF_INET6 if ":" in "${address}" else socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(10)
s.connect(("${address}", ${echoPort}))
for size in [2] + 100 * [1200, 4000]:
    s.send(b"x" * size)
    print(len(s.recv(65536)))`)
      const sizes = [2, ...Array.from({ length: 100 }, () => [1200, 4000]).flat()]
      expect(answered.trim().split('\n').map(Number)).toEqual(sizes)
      expect(await isolated.counters()).toEqual({ admitted: 0, limited: 0, refused: 0 })
    },
  )

  test('a flow of the last execution does not continue in the next one', async ({ isolated }) => {
    const again = `
import socket, sys
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(10)
s.bind(("0.0.0.0", 4444))
s.connect(("${first}", ${echoPort}))
for _ in range(50): s.send(b"hi"), s.recv(10)`
    await isolated.python(again)
    const elements = () => isolated.nft.json(['list', 'set', 'inet', 'causeway', 'flows4'])
    expect(JSON.stringify(await elements())).toContain('4444')
    await isolated.nft.apply(nothingAdmitted)
    expect(JSON.stringify(await elements())).not.toContain('4444')
  })

  test.for([host.v4, host.v6])(
    'a datagram to %s that nobody asked for does not come in',
    async (address, { isolated }) => {
      const heard = isolated.python(`
import socket
s = socket.socket(socket.AF_INET6 if ":" in "${address}" else socket.AF_INET, socket.SOCK_DGRAM)
s.bind(("", 5555))
s.settimeout(10)
s.sendto(b"go", ("${address.includes(':') ? first6 : first}", ${echoPort}))
while True:
    got = s.recv(100)
    print(got.decode())
    if got == b"go": break
s.settimeout(1)
try:
    while True: print(s.recv(100).decode())
except TimeoutError: pass`)
      await expect.poll(() => listening(isolated), { timeout: 10_000 }).toContain(':5555')
      await isolated.lab.internet.script(
        `python3 -c 'import socket
s = socket.socket(socket.AF_INET6 if ":" in "${address}" else socket.AF_INET, socket.SOCK_DGRAM)
for _ in range(5): s.sendto(b"unasked", ("${address}", 5555))'`,
      )
      expect(await heard).toBe('go\n')
    },
  )

  test('queries to port 53 of an admitted address do not wait', async ({ isolated }) => {
    const addresses = [first, first6].map((address) => ({ address, seconds: 60 }))
    await isolated.nft.apply(admitScript(addresses))
    for (const { address } of addresses) {
      const words = [address, 53, '--count=150', '--ms=900', '--connected']
      const answer = await isolated.probe<BurstAnswer>('udp', ...words)
      expect(answer).toMatchObject({ opened: 150, refused: 0 })
    }
    expect(await isolated.counters()).toEqual({ admitted: 300, limited: 0, refused: 0 })
  })

  test('errors and echo replies come in, echo requests do not', async ({ isolated }) => {
    const says = await isolated.python(`
import socket
s = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
s.settimeout(10)
s.connect(("${first}", ${closedPort}))
s.send(b"hi")
try: s.recv(10)
except OSError as error: print(error.strerror)
${ping(first)}`)
    expect(says).toBe('Connection refused\nreply\n')
    const asked = `${ping(host.v4)}`.replace('settimeout(10)', 'settimeout(1)')
    const told = isolated.lab.internet.script(`python3 -c '${asked}'`)
    await expect(told).rejects.toThrow('TimeoutError')
  })

  test('conntrack tracks nothing', async ({ isolated }) => {
    const address = publicAddress(7)
    await isolated.probe('udp', address, echoPort, '--count=10', '--ms=500', '--connected')
    const file = '/proc/sys/net/netfilter/nf_conntrack_count'
    const count = `if [ -e ${file} ]; then cat ${file}; else echo 0; fi`
    expect(await isolated.lab.host.script(count)).toBe('0\n')
    expect(await isolated.lab.server.arrivals(address)).toHaveLength(10)
  })
})

const listening = ({ lab }: IsolatedLab) => lab.host.script('ss -Hlun')

/** Sends an echo request by hand, as there is no ping(8) here. */
const ping = (address: string) => `
import socket, struct
p = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
p.settimeout(10)
body = struct.pack("!BBHHH", 8, 0, 0, 77, 1)
total = sum(struct.unpack("!4H", body))
body = struct.pack("!BBHHH", 8, 0, 0xFFFF - total, 77, 1)
p.sendto(body, ("${address}", 0))
while True:
    packet = p.recv(200)[20:]
    if packet[0] == 0 and packet[4:6] == body[4:6]: break
print("reply")`
