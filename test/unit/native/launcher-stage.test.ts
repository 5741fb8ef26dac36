import { mkdirSync, symlinkSync, unlinkSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { compile, folder, run } from './job.ts'
import { inRoot, kinds, makePlace, runScript, stage, type Kind } from './launcher-place.ts'

const hostFile = join(folder, 'of-the-host')
writeFileSync(hostFile, 'of the host\n', { mode: 0o644 })

// The image's shell has few commands of its own.
const box = (kind: Kind, script: string) =>
  script.replaceAll(/@(\w+)/g, `${inRoot(kind, '/bin/busybox')} $1`)

const runIn = (kind: Kind, script: string, more: string[] = [], place = makePlace(kind)) =>
  runScript(kind, place, box(kind, script), more)

const words = (text: string) => text.split(/\s+/).filter(Boolean)

describe.each(kinds)('the file system of $kind', (kind) => {
  it('has nothing of the host', async () => {
    const { stdout } = await runIn(kind, '@ls -A /')
    const own = kind.pivots ? ['bin', 'dev', 'etc', 'proc', 'sys', 'tmp'] : []
    const tracers = kind.pivots ? [] : ['dev', 'job', 'proc', 'sys', 'tmp']
    expect(words(stdout)).toEqual([...own, ...tracers])
  })

  it.each([
    ['its path', hostFile],
    ['the parent of the root', `/../../..${hostFile}`],
    ['the root of the first process', `/proc/1/root${hostFile}`],
    ['the working folder of the first process', `/proc/1/cwd${hostFile}`],
    ['a descriptor', `/proc/1/fd/5/..${hostFile}`],
  ])('shows no file of the host by %s', async (_what, path) => {
    const { stdout, stderr, code } = await runIn(kind, `@cat ${path}`)
    expect({ stdout, code }).toEqual({ stdout: '', code: 1 })
    expect(stderr).toMatch(/No such file|Not a directory|Permission denied/)
  })

  it('has no mount but those made for it', async () => {
    const { stdout } = await runIn(kind, '@cut -d " " -f 5 /proc/self/mountinfo')
    const nodes = ['full', 'null', 'pts', 'random', 'shm', 'tty', 'urandom', 'zero']
    const own = kind.pivots ? [] : ['/job', '/tmp']
    const expected = ['/', '/dev', ...nodes.map((name) => `/dev/${name}`), '/proc', ...own]
    const others = words(stdout).filter((path) => path !== '/sys' && !path.startsWith('/sys/'))
    expect(others.sort()).toEqual(expected.sort())
  })

  it('shows read-only what is bound into it', async () => {
    const place = makePlace(kind)
    const bound = join(place.folder, 'bound')
    mkdirSync(bound)
    writeFileSync(join(bound, 'file'), 'bound\n')
    const binds = ['--bind', `${bound}:/helpers/folder`, '--bind', `${bound}/file:/helpers/file`]
    const script = `@cat /helpers/folder/file /helpers/file
echo x > /helpers/file; echo x > /helpers/folder/new; @rm /helpers/folder/file
@grep /helpers /proc/self/mountinfo`
    const { stdout, stderr } = await runIn(kind, script, binds, place)
    expect(stdout).toMatch(/^bound\nbound\n/)
    expect(stderr.match(/Read-only file system/g)).toHaveLength(3)
    expect(stdout.match(/ ro,nosuid,nodev,/g)).toHaveLength(2)
  })

  it('has a bound folder without what is mounted below it on the host', async () => {
    const { stdout } = await runIn(kind, '@ls -A /helpers/proc', ['--bind', '/:/helpers'])
    expect(stdout).toBe('')
  })

  it('has devices of its own, and only harmless ones', async () => {
    const script = `cd /dev; @ls -A . pts shm; @stat -c '%F %t:%T' null zero full random urandom tty
for link in fd stdin stdout stderr ptmx; do @readlink $link; done; @stat -c %a shm pts/ptmx`
    const [lists, rest] = (await runIn(kind, script)).stdout.split('character', 2)
    expect(words(lists!)).toEqual(
      [
        '.: fd full null ptmx pts random shm stderr stdin stdout tty urandom zero',
        'pts: ptmx',
        'shm:',
      ].flatMap(words),
    )
    expect(rest).toBe(' special file 1:3\n')
    const { stdout } = await runIn(kind, script)
    expect(stdout.split('\n').slice(-13, -1)).toEqual(
      [
        ...['1:3', '1:5', '1:7', '1:8', '1:9', '5:0'].map(
          (node) => `character special file ${node}`,
        ),
        '/proc/self/fd',
        ...[0, 1, 2].map((fd) => `/proc/self/fd/${fd}`),
        'pts/ptmx',
        '1777',
        '666',
      ].slice(-12),
    )
  })

  it('lets it use them, and make no other', async () => {
    const script = `echo x > /dev/null && @head -c 4 /dev/zero | @wc -c && echo y > /dev/shm/file &&
@cat /dev/shm/file; @mknod /dev/disk b 7 0; @mknod /tmp/disk b 7 0`
    const { stdout, stderr } = await runIn(kind, script)
    expect(stdout).toBe('4\ny\n')
    expect(stderr.match(/Operation not permitted/g)).toHaveLength(2)
  })

  it('shows only its own processes', async () => {
    const { stdout } = await runIn(kind, 'echo $$; cd /proc; @ls -d [0-9]*; echo $PPID')
    expect(words(stdout)).toEqual(['1', '1', '0'])
  })

  it('gives it nothing of the kernel to write to', async () => {
    const script = `echo 1 > /sys/kernel/mm/ksm/run; echo x > /proc/sys/kernel/hostname
@grep ' /sys' /proc/self/mountinfo | @grep -v ' ro,'; @ls /sys`
    const { stdout, stderr } = await runIn(kind, script)
    expect(stdout).toMatch(/^block\nbus\n/)
    expect(stderr.match(/Read-only file system|Permission denied/g)).toHaveLength(2)
  })

  it('has the working folder that was asked for', async () => {
    const wanted = inRoot(kind, '/etc')
    expect((await runIn(kind, 'pwd', ['--work-folder', wanted])).stdout).toBe(`${wanted}\n`)
    const missing = await runIn(kind, 'pwd', ['--work-folder', '/missing'])
    expect(missing).toMatchObject({
      code: 125,
      stderr: expect.stringMatching(/\/missing: No such/) as string,
    })
  })

  it('says nothing of the host by its name', async () => {
    expect((await runIn(kind, '@hostname; @hostname other')).stdout).toBe('localhost\n')
  })
})

/** Opens 65 terminals and says how many it got. */
const manyTerminals = `
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
int main(void) {
  int count = 0;
  while (count < 65 && posix_openpt(O_RDWR | O_NOCTTY) >= 0) count++;
  printf("%d %d", count, count < 65 ? errno : 0);
}
`
const openMany = compile('terminals', manyTerminals, 'cc', ['-static'])

/** Opens a terminal and says through it what it is called. */
const terminal = `
#define _GNU_SOURCE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>
int main(void) {
  int master = posix_openpt(O_RDWR | O_NOCTTY);
  if (master < 0 || grantpt(master) || unlockpt(master)) return perror("pty"), 1;
  int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
  if (slave < 0) return perror(ptsname(master)), 1;
  puts(ptsname(master));
}
`
const openpty = compile('terminal', terminal, 'cc', ['-static'])

describe.each(kinds)('a terminal opened by $kind', (kind) => {
  it('is the first of its own', async () => {
    const args = [...stage(kind, makePlace(kind)), '--bind', `${openpty}:/helpers/terminal`]
    const { stdout, stderr } = await run(kind.starter, [...args, '--', '/helpers/terminal'])
    expect({ stdout, stderr }).toEqual({ stdout: '/dev/pts/0\n', stderr: '' })
  })

  it('is one of 64: the host has few', async () => {
    const args = [...stage(kind, makePlace(kind)), '--bind', `${openMany}:/helpers/terminals`]
    const { stdout } = await run(kind.starter, [...args, '--', '/helpers/terminals'])
    const ENOSPC = 28
    expect(stdout).toBe(`64 ${ENOSPC}`)
  })
})

// Links in an image are the image's: what we mount over them must not leave the job's root.
describe.each(kinds.filter(({ pivots }) => pivots))(
  'an image with links in the way of $kind',
  (kind) => {
    it.each(['dev', 'proc', 'sys', 'helpers'])('%s, which leads out', async (name) => {
      const place = makePlace(kind)
      const target = join(place.folder, 'target')
      mkdirSync(target)
      rmSync(join(place.tree, name), { recursive: true, force: true })
      symlinkSync(target, join(place.tree, name))
      const { code, stdout } = await runIn(
        kind,
        'echo ran',
        ['--bind', `${hostFile}:/helpers/file`],
        place,
      )
      // It may refuse such an image, or mount inside of it; never outside.
      expect([code, stdout]).toEqual(code === 0 ? [0, 'ran\n'] : [125, ''])
      expect(() => unlinkSync(join(target, 'file'))).toThrow('ENOENT')
    })

    it('dev and proc that lead to each other', async () => {
      const place = makePlace(kind)
      rmSync(join(place.tree, 'dev'), { recursive: true })
      symlinkSync('proc', join(place.tree, 'dev'))
      symlinkSync('dev', join(place.tree, 'proc'))
      expect(await runIn(kind, 'echo ran', [], place)).toMatchObject({ code: 125, stdout: '' })
    })
  },
)
