import { execFile } from 'node:child_process'
import { mkdirSync, rmdirSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it, onTestFinished } from 'vitest'
import { refuseSegments } from '@causeway/native/network'
import { hostHierarchies } from '../../../runtime/src/cgroup/mounts.ts'
import { compile, isRoot } from './job.ts'

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

// Node's bpf(2): the kernel gives up the first three programs, as it does while a signal is pending.
const disturbed = `
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/syscall.h>
long syscall(long number, ...) {
  static int loads;
  long given[6];
  va_list list;
  va_start(list, number);
  for (int i = 0; i < 6; i++) given[i] = va_arg(list, long);
  va_end(list);
  if (number == SYS_bpf && given[0] == 5) {
    if (++loads <= 3) return errno = EAGAIN, -1;
    fprintf(stderr, "loaded\\n");
  }
  long (*real)(long, ...) = (long (*)(long, ...))dlsym(RTLD_NEXT, "syscall");
  return real(number, given[0], given[1], given[2], given[3], given[4], given[5]);
}
`

const refuseAll = `
import { refuseSegments } from '@causeway/native/network'
for (const folder of process.argv.slice(1)) refuseSegments(folder)
`

let groups = 0

function makeGroup(): string {
  const folder = join(hierarchy!.path, `causeway-test-segments-${process.pid}-${++groups}`)
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

  it('are refused by one program for all groups, whatever signals come', async () => {
    const preload = compile('disturbed.so', disturbed, 'cc', ['-shared', '-fPIC'])!
    const node = ['--conditions=@causeway/source', '--import', 'tsx', '--input-type=module', '-e']
    const { stderr } = await run(process.execPath, [...node, refuseAll, makeGroup(), makeGroup()], {
      env: { ...process.env, LD_PRELOAD: preload },
    })
    expect(stderr).toBe('loaded\n')
  })

  it('are a matter of control groups of version 2', () => {
    expect(() => refuseSegments('/tmp')).toThrow(/^bpf EBADF/)
    expect(() => refuseSegments('/nowhere')).toThrow(/^bpf ENOENT/)
  })
})

it.skipIf(isRoot)('an ordinary user may not refuse them', () => {
  expect(() => refuseSegments('/sys/fs/cgroup')).toThrow(/^bpf EPERM/)
})
