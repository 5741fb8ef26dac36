import { execFile, spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { closeSync, openSync, readFileSync, readlinkSync } from 'node:fs'
import net from 'node:net'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { bindAbstract } from '@causeway/native'
import { closeFd } from '@causeway/native/process'
import { connectIn, createNetwork, listenIn } from '@causeway/native/network'
import { isRoot } from './job.ts'
import { inRoot, kinds, makePlace, runScript, type Kind } from './launcher-place.ts'

const run = promisify(execFile)

/** A network namespace for one test. */
function makeNetwork(): number {
  const fd = createNetwork()
  onTestFinished(() => closeFd(fd))
  return fd
}

/** The output of a shell's words in a network namespace. */
async function inside(network: number, script: string): Promise<string> {
  const path = `/proc/${process.pid}/fd/${network}`
  const { stdout } = await run('nsenter', [`--net=${path}`, 'sh', '-c', script])
  return stdout.trim()
}

/** Listens on an abstract name and sends every line back. */
async function echo(name: string, network?: number): Promise<void> {
  const server = net.createServer({ allowHalfOpen: true }, (socket) => {
    socket.on('data', (line) => socket.end(line))
  })
  server.listen({ fd: bindAbstract(name, 'exact', 16, network) })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
}

const client = `
import socket, sys
s = socket.socket(socket.AF_UNIX)
s.settimeout(5)
s.connect(b"\\0" + sys.argv[1].encode())
s.sendall(b"hello\\n")
print(s.recv(100).decode(), end="")
`

const uniqueName = () => `causeway-network-${randomUUID()}`

it.skipIf(isRoot)('makes no network for an ordinary user', () => {
  expect(() => createNetwork()).toThrow(/unshare EPERM/)
})

describe.runIf(isRoot)('a network namespace', () => {
  it('is another one than ours, and ours stays', async () => {
    const ours = readlinkSync('/proc/self/ns/net')
    const other = readlinkSync(`/proc/self/fd/${makeNetwork()}`)
    expect(other).toMatch(/^net:\[\d+\]$/)
    expect(other).not.toBe(ours)
    expect(readlinkSync('/proc/self/ns/net')).toBe(ours)
  })

  it('has a loopback that is up, and nothing else', async () => {
    const network = makeNetwork()
    expect(await inside(network, 'ip -o link | cut -d " " -f 2')).toBe('lo:')
    expect(await inside(network, 'ip -o -4 addr | grep -o 127.0.0.1/8')).toBe('127.0.0.1/8')
  })

  it('lets ordinary users bind every port and send pings', async () => {
    const network = makeNetwork()
    expect(await inside(network, 'cat /proc/sys/net/ipv4/ip_unprivileged_port_start')).toBe('0')
    expect(await inside(network, 'cat /proc/sys/net/ipv4/ping_group_range')).toBe('0\t2147483647')
    expect(readFileSync('/proc/sys/net/ipv4/ip_unprivileged_port_start', 'utf8')).not.toBe('0\n')
  })

  it('goes when nobody has it any more', async () => {
    const fd = createNetwork()
    const holder = spawn('sleep', ['60'], { stdio: ['ignore', 'ignore', 'ignore', fd] })
    onTestFinished(() => void holder.kill('SIGKILL'))
    closeFd(fd)
    const held = `/proc/${holder.pid}/fd/3`
    expect(readlinkSync(held)).toMatch(/^net:/)
  })

  it('has abstract names of its own', async () => {
    const [first, second] = [makeNetwork(), makeNetwork()]
    const name = uniqueName()
    await echo(name, first)
    // The same name again: each is alone where it is.
    await echo(name, second)
    const ask = (network: number) =>
      run('nsenter', [`--net=/proc/${process.pid}/fd/${network}`, 'python3', '-c', client, name])
    expect((await ask(first)).stdout).toBe('hello\n')
    expect((await ask(second)).stdout).toBe('hello\n')
    await expect(run('python3', ['-c', client, name])).rejects.toThrow(/ConnectionRefused/)
  })

  it('is told from a descriptor of something else', () => {
    const fd = openSync('/dev/null', 'r')
    onTestFinished(() => closeSync(fd))
    // Again and again: another thread finds it out.
    for (let left = 2000; left > 0; left--) {
      expect(() => bindAbstract('unused', 'exact', 16, fd)).toThrow(/socket EINVAL/)
    }
    expect(() => bindAbstract(uniqueName(), 'exact', 16, 1_000_000)).toThrow(/socket EBADF/)
    expect(() => bindAbstract(uniqueName(), 'exact', 16, -1)).toThrow(/network/)
  })
})

/** A server that ends every connection with the word, listening on a free port. */
async function serveWord(word: string, address: string, network?: number): Promise<number> {
  const server = net.createServer((socket) => socket.end(word))
  server.listen({ fd: listenIn(network, address, 0) })
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  return (server.address() as net.AddressInfo).port
}

const adopt = (fd: number) => new net.Socket({ fd, readable: true, writable: true })

describe('a TCP connection', () => {
  it.each(['127.0.0.1', '::1'])('goes to a server on %s, both our own', async (address) => {
    const port = await serveWord('ours', address)
    expect(await text(adopt(connectIn(undefined, address, port)))).toBe('ours')
    const taken = expect.objectContaining({ syscall: 'listen', code: 'EADDRINUSE' })
    expect(() => listenIn(undefined, address, port)).toThrowError(taken)
  })

  it('fails where nobody listens', async () => {
    const fd = listenIn(undefined, '127.0.0.1', 0)
    const server = net.createServer().listen({ fd })
    await once(server, 'listening')
    const { port } = server.address() as net.AddressInfo
    server.close()
    await once(server, 'close')
    const [error] = await once(adopt(connectIn(undefined, '127.0.0.1', port)), 'error')
    expect(error).toMatchObject({ code: 'ECONNREFUSED' })
  })

  it.runIf(isRoot).each(['127.0.0.1', '::1'])('stays in its namespace: %s', async (address) => {
    const networks = [makeNetwork(), makeNetwork()] as const
    const port = await serveWord('inside', address, networks[0])
    expect(await text(adopt(connectIn(networks[0], address, port)))).toBe('inside')
    for (const other of [networks[1], undefined]) {
      const [error] = await once(adopt(connectIn(other, address, port)), 'error')
      expect(error).toMatchObject({ code: 'ECONNREFUSED' })
    }
    const nowhere = expect.objectContaining({ syscall: 'connect', code: 'ENETUNREACH' })
    expect(() => connectIn(networks[0], '192.0.2.1', 80)).toThrowError(nowhere)
  })

  it.each([
    ['localhost', 80, RangeError, /^address must be an IPv4 or IPv6 address, got "localhost"/],
    ['fe80::1%lo', 80, RangeError, /^address/],
    ['127.0.0.1\0', 80, RangeError, /^address/],
    [undefined as unknown as string, 80, TypeError, /^address must be a string/],
    ['127.0.0.1', 65_536, RangeError, /^port must be an integer from/],
    ['127.0.0.1', -1, RangeError, /^port/],
  ])('has no address %j and port %d', (address, port, kind, message) => {
    for (const open of [connectIn, listenIn]) {
      expect(() => open(undefined, address, port)).toThrowError(kind)
      expect(() => open(undefined, address, port)).toThrowError(message)
    }
    expect(() => connectIn(-1, '127.0.0.1', 80)).toThrowError(/^network/)
    expect(() => connectIn(undefined, '127.0.0.1', 0)).toThrowError(/^port/)
  })
})

describe.runIf(isRoot).each(kinds.filter(({ starter }) => starter.name === 'root'))(
  'the network of $kind',
  (kind) => {
    const script = (text: string, network: number) =>
      runIn(kind, text, ['--network', `/proc/${process.pid}/fd/${network}`])

    it('is the given one, also in what /sys and /proc show', async () => {
      const look = '@ls /sys/class/net; @grep -c : /proc/net/dev; @ls -d /sys/fs/cgroup'
      const { stdout } = await script(look, makeNetwork())
      expect(stdout).toBe('lo\n1\n/sys/fs/cgroup\n')
    })

    it('keeps what it listens on from the host, and the other way round', async () => {
      const network = makeNetwork()
      const server = net.createServer((socket) => socket.end('host'))
      server.listen(0, '127.0.0.1')
      await once(server, 'listening')
      onTestFinished(() => void server.close())
      const { port } = server.address() as net.AddressInfo
      const { stderr, code } = await script(`@nc -w 2 127.0.0.1 ${port}`, network)
      expect(code).not.toBe(0)
      expect(stderr).toMatch(/Connection refused|can't connect/)
    })

    it('gives it every port', async () => {
      const text = '(@nc -l -p 80 -e @echo answer) & @sleep 0.3; @nc 127.0.0.1 80 < /dev/null'
      const { stdout } = await script(text, makeNetwork())
      expect(stdout).toBe('answer\n')
    })

    it('must be one that can be opened', async () => {
      const { stderr, code } = await runIn(kind, 'true', ['--network', '/proc/1/fd/99999'])
      expect(code).toBe(125)
      expect(stderr).toMatch(/network \/proc\/1\/fd\/99999: No such file/)
    })
  },
)

const runIn = (kind: Kind, script: string, more: string[]) =>
  runScript(
    kind,
    makePlace(kind),
    script.replaceAll(/@(\w+)/g, `${inRoot(kind, '/bin/busybox')} $1`),
    more,
  )
