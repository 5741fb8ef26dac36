/**
 * A name server in a lab's internet, for hosts whose owners consent to a deployment.
 * @module
 */
import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { nameServerPort, publicAddress, type NetworkLab } from './network-lab.ts'

/** The server's address and port, as `network.resolvers` takes them. */
export const resolver = `${publicAddress(53)}:${nameServerPort}`

/** The account of a deployment's owner. */
export const source = 'a7'.repeat(32)

/** A host with its addresses, which point back to it. */
export interface ConsentingHost {
  name: string
  v4?: string
  v6?: string
}

const claim = (name: string) =>
  createHash('sha256').update(Buffer.from(source, 'hex')).update(name).digest('base64')

const reverse4 = (address: string) => `${address.split('.').reverse().join('.')}.in-addr.arpa.`

/** @param address with one `::`, and all groups before and after it */
function reverse6(address: string): string {
  const [before = [], after = []] = address.split('::').map((half) => half.split(':'))
  const middle = Array.from({ length: 8 - before.length - after.length }, () => '0')
  const digits = [...before, ...middle, ...after].map((group) => group.padStart(4, '0')).join('')
  return `${digits.split('').reverse().join('.')}.ip6.arpa.`
}

function records({ name, v4, v6 }: ConsentingHost): string[] {
  return [
    `_acu.${name}. TXT "v=${claim(name)}"`,
    ...(v4 ? [`${name}. A ${v4}`, `${reverse4(v4)} PTR ${name}.`] : []),
    ...(v6 ? [`${name}. AAAA ${v6}`, `${reverse6(v6)} PTR ${name}.`] : []),
  ]
}

/** One zone with all names. */
const zone = (hosts: readonly ConsentingHost[]) =>
  [
    '$ORIGIN .',
    '$TTL 300',
    '@ SOA ns. admin. 1 3600 600 86400 60',
    '@ NS ns.',
    `ns. A ${publicAddress(53)}`,
  ]
    .concat(hosts.flatMap(records))
    .map((line) => `${line}\n`)
    .join('')

const configuration = (folder: string) => `server:
  ip-address: ${publicAddress(53)}@${nameServerPort}
  username: ""
  chroot: ""
  database: ""
  zonesdir: "${folder}"
  pidfile: ""
  xfrdfile: "${folder}/xfrd.state"
  zonelistfile: "${folder}/zone.list"
  rrl-ratelimit: 0
  server-count: 1
remote-control:
  control-enable: no
zone:
  name: "."
  zonefile: "zone"
`

/** Starts NSD; it ends at the latest with the lab. */
export async function startNames(
  lab: NetworkLab,
  folder: string,
  hosts: readonly ConsentingHost[],
): Promise<AsyncDisposable> {
  await mkdir(folder, { recursive: true })
  await writeFile(join(folder, 'zone'), zone(hosts))
  await writeFile(join(folder, 'nsd.conf'), configuration(folder))
  const nsd = ['/usr/sbin/nsd', '-d', '-c', join(folder, 'nsd.conf')]
  // NSD ends with the test, whatever happens to the test.
  const command = [...lab.internet.prefix, 'setpriv', '--pdeathsig', 'TERM', '--', ...nsd]
  const child = spawn(command[0]!, command.slice(1), { stdio: 'ignore' })
  const ended = once(child, 'exit')
  await untilListening(lab, child)
  return {
    async [Symbol.asyncDispose]() {
      child.kill('SIGTERM')
      await ended
    },
  }
}

async function untilListening(lab: NetworkLab, child: { exitCode: number | null }): Promise<void> {
  while (!(await lab.internet.script('ss -Hlun')).includes(`:${nameServerPort}`)) {
    if (child.exitCode !== null) throw new Error(`nsd ended with ${child.exitCode}`)
    await pause(20)
  }
}
