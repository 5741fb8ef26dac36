/**
 * A real DNS server: NSD (Debian package nsd) on a loopback port, serving zones of the test's.
 * @module
 */
import { spawn, type ChildProcess } from 'node:child_process'
import { createSocket } from 'node:dgram'
import { Resolver as Oracle } from 'node:dns/promises'
import { once } from 'node:events'
import { mkdir, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import type { Resolver } from '../../service/src/dns/resolver.ts'
import { temporaryFolder } from './temporary-folder.ts'

/** Names of zones → what is in them, in the form of a zone file without its SOA; `broken`: SERVFAIL. */
export type Zones = Readonly<Record<string, string>>

export interface NameServer extends Resolver, AsyncDisposable {
  /** c-ares, asking it. */
  oracle: Oracle
}

export const broken = '$INCLUDE /does/not/exist\n'

const address = '127.0.0.1'
const probe = 'ready.test'
const startTries = 5
const readyTries = 200

/**
 * Starts one; it is gone when disposed, also when this process dies.
 * @param prefix program and arguments before its own, such as taskset
 */
export async function startNameServer(
  zones: Zones,
  prefix: readonly string[] = [],
): Promise<NameServer> {
  const folder = await temporaryFolder()
  const served = { ...zones, [probe]: '@ TXT ready\n' }
  try {
    for (let turn = 1; ; turn++) {
      const port = await freePort()
      const child = await startNsd(folder.path, port, served, prefix)
      const oracle = new Oracle({ timeout: 1000, tries: 1 })
      oracle.setServers([`${address}:${port}`])
      if (await isReady(oracle, child)) return nameServer(port, oracle, child, folder)
      await stop(child)
      // Somebody else took the port meanwhile.
      if (turn === startTries) throw new Error(`nsd did not start: see ${folder.path}/log`)
    }
  } catch (error) {
    await folder[Symbol.asyncDispose]()
    throw error
  }
}

function nameServer(
  port: number,
  oracle: Oracle,
  child: ChildProcess,
  folder: AsyncDisposable,
): NameServer {
  return {
    address,
    port,
    oracle,
    async [Symbol.asyncDispose]() {
      await stop(child)
      await folder[Symbol.asyncDispose]()
    },
  }
}

/** Free for UDP and for TCP. */
async function freePort(): Promise<number> {
  const tcp = createServer()
  await once(tcp.listen(0, address), 'listening')
  const { port } = tcp.address() as { port: number }
  const udp = createSocket('udp4')
  const isFree = await new Promise<boolean>((resolve) => {
    udp.once('error', () => resolve(false)).bind(port, address, () => resolve(true))
  })
  udp.close()
  await once(tcp.close(), 'close')
  return isFree ? port : freePort()
}

async function startNsd(
  folder: string,
  port: number,
  zones: Zones,
  prefix: readonly string[],
): Promise<ChildProcess> {
  await mkdir(join(folder, 'zones'), { recursive: true })
  for (const [zone, records] of Object.entries(zones)) {
    await writeFile(join(folder, 'zones', zone), head + records)
  }
  const config = join(folder, 'nsd.conf')
  await writeFile(config, configuration(folder, port, Object.keys(zones)))
  const command = ['--pdeathsig', 'TERM', ...prefix, 'nsd', '-d', '-c', config]
  const env = { PATH: '/usr/sbin:/usr/bin:/sbin:/bin' }
  return spawn('setpriv', command, { stdio: 'ignore', env })
}

const head = `$TTL 300
@ SOA ns.invalid. hostmaster.invalid. 1 3600 900 86400 60
@ NS ns.invalid.
`

/** Its own rate limit drops what tests and benchmarks send (rrl). */
function configuration(folder: string, port: number, zones: readonly string[]): string {
  const server = `server:
  ip-address: ${address}@${port}
  server-count: 1
  username: ""
  chroot: ""
  zonesdir: "${folder}/zones"
  database: ""
  pidfile: ""
  logfile: "${folder}/log"
  xfrdfile: "${folder}/xfrd"
  xfrdir: "${folder}"
  zonelistfile: "${folder}/zone.list"
  rrl-ratelimit: 0
  tcp-count: 200
remote-control:
  control-enable: no
`
  return server + zones.map((name) => `zone:\n  name: "${name}"\n  zonefile: "${name}"\n`).join('')
}

async function isReady(oracle: Oracle, child: ChildProcess): Promise<boolean> {
  for (let tries = 0; tries < readyTries && child.exitCode === null; tries++) {
    const found = await oracle.resolveTxt(probe).catch(() => undefined)
    if (found) return true
    await new Promise((resolve) => setTimeout(resolve, 20))
  }
  return false
}

async function stop(child: ChildProcess): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return
  const closed = once(child, 'close')
  child.kill('SIGTERM')
  await closed
}
