import { execFile } from 'node:child_process'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refuseSegments } from '@causeway/native/network'
import { hostHierarchies } from '../../../runtime/src/cgroup/mounts.ts'
import { isRoot } from './job.ts'

const run = promisify(execFile)
const hierarchy = hostHierarchies().find(({ version }) => version === 2)

// Sends ten datagrams as one packet, by a socket option and by a control message; one alone; a stream.
const program = `
import socket
SOL_UDP, UDP_SEGMENT = 17, 103
def attempt(family, host, ways):
    inbox = socket.socket(family, socket.SOCK_DGRAM)
    inbox.bind((host, 0))
    inbox.settimeout(0.3)
    out = socket.socket(family, socket.SOCK_DGRAM)
    out.connect(inbox.getsockname())
    try:
        ways(out)
    except OSError as error:
        return error.strerror
    count = 0
    try:
        while inbox.recv(2000): count += 1
    except TimeoutError: return count
def option(out):
    out.setsockopt(SOL_UDP, UDP_SEGMENT, 20)
    out.send(b"x" * 200)
def message(out):
    out.sendmsg([b"x" * 200], [(SOL_UDP, UDP_SEGMENT, (20).to_bytes(2, "little"))])
for family, host in [(socket.AF_INET, "127.0.0.1"), (socket.AF_INET6, "::1")]:
    print(attempt(family, host, option), attempt(family, host, message), attempt(family, host, lambda out: out.send(b"x")))
server = socket.create_server(("127.0.0.1", 0))
client = socket.create_connection(server.getsockname())
client.sendall(b"y" * 200_000)
print(len(server.accept()[0].recv(200_000, socket.MSG_WAITALL)))
`

function makeGroup(): string {
  const folder = join(hierarchy!.path, `causeway-test-segments-${process.pid}`)
  mkdirSync(folder)
  onTestFinished(() => rmdirSync(folder))
  return folder
}

async function runIn(group: string): Promise<string[]> {
  const join = 'echo $$ > "$0/cgroup.procs" && exec python3 -c "$1"'
  return (await run('sh', ['-c', join, group, program])).stdout.trim().split('\n')
}

describe.runIf(isRoot && hierarchy)('datagrams in bulk', () => {
  it('are refused to a control group, by whatever call; all else goes on', async () => {
    const group = makeGroup()
    expect(await runIn(group)).toEqual(['10 10 1', '10 10 1', '200000'])
    refuseSegments(group)
    const refused = 'Operation not permitted Operation not permitted 1'
    expect(await runIn(group)).toEqual([refused, refused, '200000'])
  })

  it('can be refused again and again', async () => {
    const group = makeGroup()
    refuseSegments(group)
    refuseSegments(group)
    expect((await runIn(group))[0]).toContain('not permitted')
  })

  it('are a matter of control groups of version 2', () => {
    expect(() => refuseSegments('/tmp')).toThrow(/^bpf EBADF/)
    expect(() => refuseSegments('/nowhere')).toThrow(/^bpf ENOENT/)
  })
})

it.skipIf(isRoot)('an ordinary user may not refuse them', () => {
  expect(() => refuseSegments('/sys/fs/cgroup')).toThrow(/^bpf EPERM/)
})
