import { execFileSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { nativePaths } from '@causeway/native'
import { compile, isInstalled } from './job.ts'

const shim = nativePaths.ifaddrsShim

// Prints what getifaddrs gives, twice: a caller may have written into the first list.
const listing = `
#include <arpa/inet.h>
#include <ifaddrs.h>
#include <stdio.h>

static const char *text(struct sockaddr *address) {
  return inet_ntoa(((struct sockaddr_in *)address)->sin_addr);
}

int main(void) {
  for (int round = 0; round < 2; round++) {
    struct ifaddrs *list;
    if (getifaddrs(&list)) return 1;
    for (struct ifaddrs *at = list; at; at = at->ifa_next) {
      printf("%s %#x %d %s", at->ifa_name, at->ifa_flags, at->ifa_addr->sa_family,
             text(at->ifa_addr));
      printf("/%s %d\\n", text(at->ifa_netmask), at->ifa_data == NULL);
      at->ifa_name[0] = 'x';
      at->ifa_addr = NULL;
    }
    freeifaddrs(list);
  }
}
`
const loopbackTwice = 'lo 0x49 2 127.0.0.1/255.0.0.0 1\n'.repeat(2)

function preloaded(command: string, args: string[] = [], env = {}): string {
  const preload = { ...process.env, LD_PRELOAD: shim, ...env }
  return execFileSync(command, args, { encoding: 'utf8', env: preload })
}

describe('libcauseway-ifaddrs.so', () => {
  it('shows a glibc program only the loopback interface', () => {
    expect(preloaded(compile('list-glibc', listing)!)).toBe(loopbackTwice)
  })

  it('works with symbols bound at start', () => {
    const program = compile('list-now', listing)!
    expect(preloaded(program, [], { LD_BIND_NOW: '1' })).toBe(loopbackTwice)
  })

  it.skipIf(!isInstalled('musl-gcc'))('shows a musl program only the loopback interface', () => {
    const program = compile('list-musl', listing, 'musl-gcc')!
    expect(preloaded(program)).toBe(loopbackTwice)
  })

  it('shows Node only the loopback interface', () => {
    const seen = preloaded(process.execPath, ['-p', 'JSON.stringify(os.networkInterfaces())'])
    expect(JSON.parse(seen)).toEqual({
      lo: [
        {
          address: '127.0.0.1',
          netmask: '255.0.0.0',
          family: 'IPv4',
          mac: '00:00:00:00:00:00',
          internal: true,
          cidr: '127.0.0.1/8',
        },
      ],
    })
  })

  it.skipIf(!isInstalled('python3'))('can be called through ctypes', () => {
    const source = [
      'import ctypes, sys',
      'library, into = ctypes.CDLL(sys.argv[1]), ctypes.c_void_p()',
      'print(library.getifaddrs(ctypes.byref(into)), bool(into), library.freeifaddrs(into) is not 1)',
    ]
    const output = execFileSync('python3', ['-W', 'ignore', '-c', source.join('\n'), shim])
    expect(output.toString()).toBe('0 True True\n')
  })

  it.skipIf(!isInstalled('readelf'))('exports two symbols and needs no library', () => {
    expect(existsSync(shim)).toBe(true)
    const symbols = execFileSync('readelf', ['-W', '--dyn-syms', shim], { encoding: 'utf8' })
    const names = [...symbols.matchAll(/GLOBAL +DEFAULT +\d+ (\S+)/g)].map(([, name]) => name)
    expect(new Set(names)).toEqual(new Set(['freeifaddrs', 'getifaddrs']))
    expect(names).toHaveLength(2)
    expect(symbols).not.toMatch(/ UND \S/)
    const dynamic = execFileSync('readelf', ['-W', '-d', shim], { encoding: 'utf8' })
    expect(dynamic).not.toContain('NEEDED')
  })
})
