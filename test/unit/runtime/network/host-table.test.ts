import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { startHostTable } from '../../../support/host-table-process.ts'
import {
  echoPort,
  hostPort,
  isRoot,
  needsRoot,
  openNetworkLab,
  publicAddress,
  ruleListeners,
  type NetworkLab,
} from '../../../support/network-lab.ts'
import { temporaryFolder } from '../../../support/temporary-folder.ts'

const nft = '/usr/sbin/nft'

describe.skipIf(!isRoot)(`the host's table (${needsRoot})`, { timeout: 60_000 }, () => {
  let lab: NetworkLab
  beforeAll(async () => void (lab = await openNetworkLab()))
  afterAll(() => lab[Symbol.asyncDispose]())
  beforeEach(() => lab.host.script(`${nft} flush ruleset`))

  const forwarding = async () => {
    const show = 'cat /proc/sys/net/ipv4/ip_forward /proc/sys/net/ipv6/conf/all/forwarding'
    return (await lab.host.script(show)).split('\n').slice(0, 2).join(' ')
  }
  const tables = async () => (await lab.host.script(`${nft} list tables`)).trim()

  /** Whether a program in a job's namespace gets an answer, as text. */
  async function reaches(namespace: string, address: string, port: number): Promise<string> {
    const program = `import socket
s = socket.socket(socket.AF_INET6 if ":" in "${address}" else socket.AF_INET)
s.settimeout(3)
try:
  s.connect(("${address}", ${port})); s.sendall(b"x"); print(s.recv(1) == b"x")
except OSError as error: print(error)`
    return (await lab.host.script(`nsenter --net=${namespace} python3 -c '${program}'`)).trim()
  }

  test('forwards for jobs while a process uses it, and leaves the host unchanged', async () => {
    await using holder = await startHostTable(lab)
    expect(await forwarding()).toBe('0 0')
    expect(await holder.ask('hold')).toEqual({ families: ['ipv4', 'ipv6'], warnings: [] })
    expect(await forwarding()).toBe('1 1')
    const network = await holder.ask<string>('open')
    expect(await reaches(network, publicAddress(1), echoPort)).toBe('True')
    expect(await reaches(network, '2606:2800:220:2::1', echoPort)).toBe('True')
    await holder.ask('release')
    expect([await forwarding(), await tables()]).toEqual(['0 0', ''])
  })

  test('leaves forwarding alone where it was on', async () => {
    await using holder = await startHostTable(lab)
    await lab.host.script('echo 1 > /proc/sys/net/ipv4/ip_forward')
    await holder.ask('hold')
    await holder.ask('release')
    expect(await forwarding()).toBe('1 0')
    await lab.host.script('echo 0 > /proc/sys/net/ipv4/ip_forward')
  })

  test('stays as long as one process uses it', async () => {
    await using first = await startHostTable(lab)
    await using second = await startHostTable(lab)
    await first.ask('hold')
    await second.ask('hold')
    await first.ask('release')
    expect(await tables()).toBe('table inet causeway')
    const network = await second.ask<string>('open')
    expect(await reaches(network, publicAddress(1), echoPort)).toBe('True')
    await second.ask('release')
    expect([await forwarding(), await tables()]).toEqual(['0 0', ''])
  })

  test('of a killed process is removed by the next one', async () => {
    await using killed = await startHostTable(lab)
    await killed.ask('hold')
    await killed.kill()
    expect([await forwarding(), await tables()]).toEqual(['1 1', 'table inet causeway'])
    await using next = await startHostTable(lab)
    await next.ask('hold')
    await next.ask('release')
    expect([await forwarding(), await tables()]).toEqual(['0 0', ''])
  })

  test('is restored at once when somebody flushes all rules', async () => {
    await using holder = await startHostTable(lab)
    await holder.ask('hold')
    const network = await holder.ask<string>('open')
    await expect.poll(() => ruleListeners(lab.host)).not.toBe('')
    await lab.host.script(`${nft} flush ruleset`)
    await expect.poll(tables).toBe('table inet causeway')
    await expect
      .poll(() => holder.ask('warnings'))
      .toEqual(["somebody removed the host's packet rules for jobs (inet causeway); they are back"])
    expect(await reaches(network, publicAddress(1), echoPort)).toBe('True')
    await holder.ask('release')
    // The restored table remembers that forwarding was off.
    expect([await forwarding(), await tables()]).toEqual(['0 0', ''])
  })

  test('lets no job reach the address to which the host redirects its own ports', async () => {
    await using holder = await startHostTable(lab)
    await holder.ask('hold')
    const network = await holder.ask<string>('open')
    await lab.host.script(`${nft} add table ip pub
${nft} 'add chain ip pub pre { type nat hook prerouting priority dstnat; }'
${nft} add rule ip pub pre tcp dport 8080 dnat to ${publicAddress(1)}:${echoPort}`)
    expect(await reaches(network, '93.184.216.10', 8080)).toMatch(/refused|No route/)
    expect(await reaches(network, publicAddress(2), 8080)).toMatch(/refused|No route/)
    await holder.ask('release')
  })

  test('lets no job reach the host, nor another job, whatever address it gives itself', async () => {
    await using holder = await startHostTable(lab)
    await holder.ask('hold')
    const [one, other] = [await holder.ask<string>('open'), await holder.ask<string>('open')]
    const address = await lab.host.script(
      `nsenter --net=${other} ip -o -4 addr show eth0 | grep -o '100[0-9.]*' | head -1`,
    )
    expect(await reaches(one, '93.184.216.10', hostPort)).toMatch(/refused|No route/)
    expect(await reaches(one, address.trim(), hostPort)).toMatch(/refused|No route/)
    const foreign = `import socket
s = socket.socket(socket.AF_INET6); s.setsockopt(41, 78, 1); s.settimeout(1)
s.bind(("fdca:5e3:a7c1::7777:1", 0))
try:
  s.connect(("2606:2800:220:2::1", ${echoPort})); print("connected")
except OSError as error: print(error)`
    const said = await lab.host.script(`nsenter --net=${one} python3 -c '${foreign}'`)
    expect(said).not.toContain('connected')
    await holder.ask('release')
  })

  test.for(['one that rests', 'the one that is ready'])(
    'gives no job a network without its veth pair: %s',
    async (which) => {
      await using holder = await startHostTable(lab)
      await holder.ask('networks')
      const first = which === 'one that rests' ? await holder.ask<string>('job') : undefined
      if (first !== undefined) await holder.ask('rest')
      await lab.host.script('ip -o link | grep -o "cwy-[0-9a-f]*" | xargs -n 1 ip link del')
      const network = await holder.ask<string>('job')
      expect(await reaches(network, publicAddress(1), echoPort)).toBe('True')
      await holder.ask('rest')
      // A network that has its veth pair is used again.
      const cable = (namespace: string) =>
        lab.host.script(`nsenter --net=${namespace} ip -o link show eth0`)
      const before = await cable(network)
      expect(await cable(await holder.ask<string>('job'))).toBe(before)
      await holder.ask('close')
      expect([await forwarding(), await tables()]).toEqual(['0 0', ''])
    },
  )

  test('warns of a firewall of the host that blocks jobs', async () => {
    await lab.host.script(`${nft} add table ip filter
${nft} 'add chain ip filter FORWARD { type filter hook forward priority 0; policy drop; }'`)
    await using holder = await startHostTable(lab)
    const { warnings } = await holder.ask<{ warnings: string[] }>('hold')
    expect(warnings).toEqual([
      expect.stringMatching(/^the firewall chain "ip filter FORWARD" drops .* cwy-\*/),
    ])
    await holder.ask('release')
  })

  test('warns of routes of the host to addresses of jobs', async () => {
    await lab.host.script(
      'ip route add 100.127.9.0/24 via 93.184.216.1; ip route add 100.64.0.0/10 via 93.184.216.1',
    )
    await using holder = await startHostTable(lab)
    const { warnings } = await holder.ask<{ warnings: string[] }>('hold')
    expect(warnings).toEqual([
      expect.stringContaining('100.127.9.0/24'),
      expect.stringContaining('100.64.0.0/10'),
    ])
    await holder.ask('release')
    await lab.host.script('ip route del 100.127.9.0/24; ip route del 100.64.0.0/10')
  })

  test('turns nothing on when its rules cannot be made', async () => {
    await using folder = await temporaryFolder()
    const fake = join(folder.path, 'nft')
    writeFileSync(
      fake,
      `#!/bin/sh\n[ "$1" = -f ] && { echo broken >&2; exit 1; }\nexec ${nft} "$@"\n`,
    )
    chmodSync(fake, 0o755)
    await using holder = await startHostTable(lab, folder.path)
    await expect(holder.ask('hold')).rejects.toThrow('nft: broken')
    expect([await forwarding(), await tables()]).toEqual(['0 0', ''])
  })
})
