import { execFileSync } from 'node:child_process'
import {
  chmodSync,
  copyFileSync,
  mkdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import type { Writable } from 'node:stream'
import { describe, expect, it } from 'vitest'
import { ended, folder, guestInit, isInstalled, isRoot, launch, ordinaryUid, ways } from './job.ts'
import { untilCount } from './processes.ts'
import { childrenOf } from '../../../runtime/src/sandbox/launcher/process-tree.ts'

type Way = (typeof ways)[number]

const root = join(folder, 'rootfs')

/** A root of one static busybox, owned by the user of the jobs. */
function makeRoot(busybox: string) {
  for (const name of ['bin', 'etc', 'tmp', 'proc']) mkdirSync(join(root, name), { recursive: true })
  copyFileSync(busybox, join(root, 'bin/busybox'))
  for (const name of ['sh', 'ls', 'stat', 'sleep', 'setsid', 'mv', 'cat', 'env', 'id']) {
    symlinkSync('busybox', join(root, 'bin', name))
  }
  writeFileSync(join(root, 'etc/marker'), 'inside\n')
  writeFileSync(join(root, 'etc/plain'), 'exit 0\n')
  chmodSync(root, 0o755)
  if (isRoot) execFileSync('chown', ['-R', `${ordinaryUid}:${ordinaryUid}`, root])
}

const busybox = ['/bin/busybox', '/usr/bin/busybox'].find(isStatic)
const usable = busybox !== undefined && isInstalled('proot')
if (usable) makeRoot(busybox)

/** Whether it is a program without an interpreter: the guest's root holds no library. */
function isStatic(path: string): boolean {
  try {
    return !readFileSync(path).subarray(0, 4096).includes('/lib')
  } catch {
    return false
  }
}

const tracer = () =>
  execFileSync('/bin/sh', ['-c', 'command -v proot'], { encoding: 'utf8' }).trim()

/** Arguments of the launcher for a job under PRoot. */
function guest(way: Way): string[] {
  const binds = ['/dev/null', '/proc', `${guestInit}:/.causeway/init`].flatMap((b) => ['-b', b])
  const proot = [tracer(), '-v', '-1', '-0', '-r', root, ...binds, '-w', '/', '/.causeway/init']
  // Debian's 5.1.0 is accelerated by no filter, and says so; later ones need this to translate.
  const options = ['--filter', 'traced-no-statx', '--env', 'PROOT_NO_SECCOMP=1']
  return [...way.options, ...options, '--', ...proot]
}

function start(way: Way, argv: string[], environment = 'PATH=/bin\0') {
  const child = launch(way.starter, guest(way), {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
  })
  const command = argv.map((argument) => `${argument}\0`).join('')
  ;(child.stdio[3] as Writable).end(`${command}\0${environment}`)
  return child
}

const run = (way: Way, argv: string[], environment?: string) => ended(start(way, argv, environment))

/** Records by their letter. */
function byLetter(records: Buffer): Record<string, number> {
  const rows = Array.from({ length: records.length / 8 }, (_, index) => [
    String.fromCharCode(records[8 * index]!),
    records.readUInt32LE(8 * index + 4),
  ])
  return Object.fromEntries(rows) as Record<string, number>
}

describe.skipIf(!usable).each(ways)('a guest of PRoot started by $way', (way) => {
  const shell = (script: string) => run(way, ['/bin/sh', '-c', script])

  it('sees its own root and nothing of the host', async () => {
    const script = 'ls -l /etc; [ -r /etc/marker ] && [ ! -e /etc/passwd ] && stat /etc/passwd'
    const { stdout, stderr } = await shell(script)
    expect(stdout).toMatch(/^total .*\n.* marker\n.* plain\n$/)
    expect(stderr).toMatch(/^stat: .*No such file/)
  })

  it.each([
    ['exit 3', ['sh', '-c', 'exit 3'], { X: 768 }],
    [
      'exit 3 with a later exit 7 behind it',
      ['sh', '-c', '(sleep 0.2; exit 7) & exit 3'],
      { X: 768 },
    ],
    ['SIGKILL', ['sh', '-c', 'kill -9 $$'], { X: 9 }],
    ['SIGSEGV', ['sh', '-c', 'kill -11 $$'], { X: 11 }],
    ['a missing program', ['/bin/missing'], { E: 2 }],
    ['a program that is not executable', ['/etc/plain'], { E: 13 }],
  ])('has %s reported', async (_what, argv, expected) => {
    expect(byLetter((await run(way, argv)).records)).toMatchObject(expected)
  })

  it('has its environment byte for byte, and the tracer none of it', async () => {
    const environment = 'PATH=/bin\0LD_PRELOAD=/evil.so\0A=two words\nand lines\0'
    const { stdout, stderr } = await run(way, ['/bin/env', '-0'], environment)
    expect(stdout).toBe(environment)
    expect(stderr).toBe('')
  })

  it('cannot kill its init, its tracer or the launcher', async () => {
    const { stderr, records, code } = await shell('kill -9 $PPID; kill -9 1; kill -9 -1; exit 5')
    expect(stderr.match(/Operation not permitted/g)?.length).toBeGreaterThanOrEqual(2)
    expect(byLetter(records)).toMatchObject({ X: 5 << 8 })
    expect(code).toBe(5)
  })

  it('renames across folders', async () => {
    const script = 'cd /tmp && rm -rf a b; mkdir a b && echo x > a/f && mv a/f b/ && cat b/f'
    const busyboxed = `alias rm='busybox rm' mkdir='busybox mkdir'\n${script}`
    expect((await shell(busyboxed)).stdout).toBe('x\n')
  })

  it.each(['SIGTERM', 'SIGKILL'] as const)('is gone after %s to the launcher', async (signal) => {
    const { token, child } = await startDaemons(way)
    child.kill(signal)
    expect(await untilCount(token, 0)).toEqual([])
  })

  it('is gone after its tracer was killed', async () => {
    const { token, child } = await startDaemons(way)
    process.kill(childrenOf(child.pid!)[0]!, 'SIGKILL')
    expect(await untilCount(token, 0)).toEqual([])
  })
})

/** A main and daemons that all carry a token. */
async function startDaemons(way: Way) {
  const token = `4${process.pid}.${Date.now()}${Math.floor(Math.random() * 1e6)}`
  const sleeps = `setsid sleep ${token} & (trap "" TERM; exec sleep ${token}) & sleep ${token}; true`
  const child = start(way, ['/bin/sh', '-c', sleeps, token])
  // main and three times sleep
  await untilCount(token, 4)
  return { token, child }
}
