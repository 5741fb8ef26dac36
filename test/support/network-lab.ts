/**
 * A host and its internet: two network namespaces joined by a cable. They live in processes that
 * end with the test, so nothing of them remains whatever happens. Only root can make them.
 * @module
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { run } from './causeway.ts'
import { startNetworkServer, type NetworkServer } from './network-server.ts'

/** Why other users skip these tests. */
export const needsRoot = 'only root can make network namespaces'
export const isRoot = process.getuid?.() === 0

/** The host's own addresses on the cable. */
export const host = { v4: '93.184.216.10', v6: '2606:2800:220:1::10' }
const gateway = { v4: '93.184.216.1', v6: '2606:2800:220:1::1' }

/** The internet serves every address of these networks. */
const served = [
  '93.184.217.0/24',
  '2606:2800:220:2::/64',
  '10.9.8.0/24',
  '172.16.5.0/24',
  '192.168.7.0/24',
  '100.64.9.0/24',
  '169.254.169.254/32',
  'fd12:3456:789a::/64',
]
export const metadata = '169.254.169.254'
export const privateAddresses = [
  '10.9.8.7',
  '172.16.5.7',
  '192.168.7.7',
  '100.64.9.7',
  'fd12:3456:789a::7',
]

/** Ports of the internet's servers; the host answers on `hostPort` at all its addresses. */
export const echoPort = 7
export const hostPort = 7777
export const nameServerPort = 5300

/** A public address of the internet, by its number, 1 to 254. */
export const publicAddress = (number: number) => `93.184.217.${number}`
export const publicAddress6 = (number: number) => `2606:2800:220:2::${number.toString(16)}`

export interface NetworkNamespace extends AsyncDisposable {
  /** Arguments that run a program in the namespace; all else of the machine stays as it is. */
  prefix: readonly string[]
  pid: number
  /** Runs a /bin/sh script in it. @throws Error with the script's output */
  script(text: string): Promise<string>
}

export interface NetworkLab extends AsyncDisposable {
  /** Where the daemon and its jobs live. */
  host: NetworkNamespace
  internet: NetworkNamespace
  /** The internet's servers, with a record of packets from the host. */
  server: NetworkServer
  /** The host's own servers. */
  local: NetworkServer
  /** Name of an abstract socket on the host. */
  abstract: string
}

/** Makes a lab. */
export async function openNetworkLab(): Promise<NetworkLab> {
  const parts: AsyncDisposable[] = []
  const keep = async <Part extends AsyncDisposable>(opening: Promise<Part>): Promise<Part> => {
    const part = await opening
    parts.unshift(part)
    return part
  }
  const close = async () => {
    for (const part of parts) await part[Symbol.asyncDispose]()
  }
  try {
    const lab = { host: await keep(openNamespace()), internet: await keep(openNamespace()) }
    await layCable(lab)
    const server = await keep(startInternet(lab.internet))
    const abstract = `causeway-test-lab-${lab.host.pid}`
    const local = await keep(startLocal(lab.host, abstract))
    return { ...lab, server, local, abstract, [Symbol.asyncDispose]: close }
  } catch (error) {
    await close()
    throw error
  }
}

async function openNamespace(): Promise<NetworkNamespace> {
  // A new namespace forwards where the machine does, as it does while any daemon has jobs.
  const hold = `echo 0 > /proc/sys/net/ipv4/ip_forward
    echo 0 > /proc/sys/net/ipv6/conf/all/forwarding
    ip link set lo up; echo ready; exec cat`
  const child = spawn('unshare', ['--net', 'sh', '-c', hold], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const ended = once(child, 'exit')
  const ready = await Promise.race([once(child.stdout, 'data'), ended])
  if (String(ready[0]) !== 'ready\n') throw new Error('no network namespace could be made')
  const prefix = ['nsenter', `--net=/proc/${child.pid}/ns/net`, '--']
  return {
    prefix,
    pid: child.pid!,
    script: (text) => inNamespace(prefix, text),
    async [Symbol.asyncDispose]() {
      child.stdin.end()
      await ended
    },
  }
}

async function inNamespace(prefix: readonly string[], text: string): Promise<string> {
  const [program, ...args] = [...prefix, 'sh', '-euc', text]
  const { code, stdout, stderr } = await run(program!, args)
  if (code !== 0) throw new Error(`${text}\n${stderr}`)
  return stdout
}

/** Lists netfilter's netlink sockets that are in a multicast group: they hear of changed rules. */
export const ruleListeners = (host: NetworkNamespace): Promise<string> =>
  host.script('awk \'$2 == 12 && $4 != "00000000"\' /proc/net/netlink')

// Detecting duplicate addresses would take seconds.
const atOnce = 'echo 0 > /proc/sys/net/ipv6/conf/default/accept_dad'
const cable = { host: '02:00:00:00:00:0a', internet: '02:00:00:00:00:01' }

async function layCable(lab: Pick<NetworkLab, 'host' | 'internet'>): Promise<void> {
  await lab.internet.script(`${atOnce}
    echo 3 > /proc/sys/net/ipv4/tcp_fastopen
    echo 1 > /proc/sys/net/ipv6/ip_nonlocal_bind`)
  await lab.host.script(`${atOnce}
    ip link add eth0 address ${cable.host} type veth peer name eth0 address ${cable.internet} netns ${lab.internet.pid}`)
  await lab.internet.script(cableEnd(gateway, host, cable.host))
  await lab.host.script(cableEnd(host, gateway, cable.internet))
  const routes = served.map((range) => `ip route add local ${range} dev lo`)
  await lab.internet.script(routes.join('\n'))
  await lab.host.script(`ip route add default via ${gateway.v4}
    ip route add default via ${gateway.v6}`)
}

/** Each end knows the other's hardware address: no packet waits for neighbour discovery. */
function cableEnd(own: typeof host, other: typeof host, address: string): string {
  return `ip address add ${own.v4}/24 dev eth0
    ip address add ${own.v6}/64 dev eth0 nodad
    ip link set eth0 up
    ip neighbour replace ${other.v4} lladdr ${address} dev eth0 nud permanent
    ip neighbour replace ${other.v6} lladdr ${address} dev eth0 nud permanent`
}

function startInternet({ prefix }: NetworkNamespace): Promise<NetworkServer> {
  const ports = [echoPort, 53, 80]
  const echo = ports.flatMap((port) => [['0.0.0.0', port] as const, ['::', port] as const])
  return startNetworkServer({ prefix, echo, device: 'eth0' })
}

function startLocal({ prefix }: NetworkNamespace, abstract: string): Promise<NetworkServer> {
  const echo = [['0.0.0.0', hostPort] as const, ['::', hostPort] as const]
  return startNetworkServer({ prefix, echo, abstract: [abstract] })
}
