import { execFileSync, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { childrenOf } from '../../../runtime/src/sandbox/launcher/process-tree.ts'
import { ended, isRoot, launch, starters, ways } from './job.ts'
import { inRoot, kinds, makePlace, stage, type Kind } from './launcher-place.ts'

/** Starts the launcher with a control descriptor. */
function startControlled(starter: (typeof starters)[number], args: string[]) {
  const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'ignore', 'pipe'] as const
  const child = launch(starter, ['--control', ...args], { stdio: [...stdio] })
  onTestFinished(() => void child.kill('SIGKILL'))
  const control = (child.stdio as readonly unknown[])[5] as Duplex
  control.setEncoding('utf8').on('error', () => {})
  return { child, control, end: ended(child) }
}

describe.each(ways)('the control descriptor of $way', ({ starter, options }) => {
  const start = (args: string[], program = ['/bin/echo', 'ran']) =>
    startControlled(starter, [...options, ...args, '--', ...program])

  it('tells that the root is there, and nothing runs before a byte comes', async () => {
    const { control, child, end } = start([])
    expect(await once(control, 'data')).toEqual(['mounted\n'])
    expect(childrenOf(child.pid!)).toHaveLength(1)
    expect(commandOf(childrenOf(child.pid!)[0]!)).toContain('--control')
    control.write('g')
    expect(await end).toMatchObject({ code: 0, stdout: 'ran\n', stderr: '' })
  })

  it('is closed when the job runs', async () => {
    const { control } = start([], ['/bin/sleep', '300'])
    await once(control, 'data')
    control.write('g')
    expect(await allOf(control)).toBe('')
  })

  it('is not among what the job has', async () => {
    const { control, end } = start([], ['/bin/sh', '-c', 'ls /proc/self/fd; echo x >&5'])
    await once(control, 'data')
    control.write('g')
    const { stdout, stderr } = await end
    expect(stdout).toBe('0\n1\n2\n3\n4\n5\n') // 5: the folder that ls has open
    expect(stderr).toMatch(/Bad file descriptor/)
  })

  it('whose end comes instead of a byte lets nothing run', async () => {
    const { control, end } = start([])
    await once(control, 'data')
    control.end()
    const said = allOf(control)
    expect(await end).toMatchObject({ code: 125, stdout: '', stderr: '' })
    expect(await said).toBe('bridge-launch: the daemon stopped the start\n')
  })

  it.each([
    [
      'before the root is there',
      ['--cgroup', '/missing'],
      /^bridge-launch: cgroup \/missing: No such/,
    ],
    [
      'after the byte',
      ['--work-folder', '/missing'],
      /^mounted\nbridge-launch: working folder \/missing: No such/,
    ],
  ])('tells what fails %s, and the stderr of the job does not', async (_when, args, line) => {
    const { control, end } = start(args)
    control.once('data', (said: string) => said === 'mounted\n' && control.write('g'))
    const said = allOf(control)
    expect(await end).toMatchObject({ code: 125, stdout: '', stderr: '' })
    expect(await said).toMatch(line)
  })

  it('tells of a program that is not there', async () => {
    const { control, end } = start([], ['/missing'])
    const said = allOf(control)
    control.write('g')
    expect(await end).toMatchObject({ code: 125, stderr: '' })
    expect(await said).toBe('mounted\nbridge-launch: execute /missing: No such file or directory\n')
  })

  it('is needed when it is asked for', async () => {
    const child = launch(starter, ['--control', ...options, '--', '/bin/true'])
    expect(await ended(child)).toMatchObject({
      code: 125,
      stderr: 'bridge-launch: control: Bad file descriptor\n',
    })
  })
})

describe.each(ways)('a spare launcher of $way', ({ starter, options }) => {
  const block = (words: string[]) => [...words, ''].map((word) => `${word}\0`).join('')
  const spare = () => startControlled(starter, ['--spare'])

  it('does what it is told on the control descriptor', async () => {
    const { child, control, end } = spare()
    const words = block([...options, '--env', 'A=two words', '--', '/bin/sh', '-c', 'echo "$A"'])
    control.write(words.slice(0, 9))
    await pause(50)
    expect(childrenOf(child.pid!)).toEqual([])
    control.write(words.slice(9))
    expect(await once(control, 'data')).toEqual(['mounted\n'])
    control.write('g')
    expect(await end).toMatchObject({ code: 0, stdout: 'two words\n', stderr: '' })
  })

  it.each([
    ['an unknown option', ['--what', 'x', '--', '/bin/true'], /unknown option/],
    ['no program', [...options, '--max-files', '99'], /no program/],
    ['a combination that is refused', [...options, '--pivot', '--', '/bin/true'], /--pivot needs/],
    [
      'too many strings',
      Array(600)
        .fill('--env')
        .map((name: string, at) => (at % 2 ? 'A=1' : name)),
      /too many/,
    ],
    ['too much', ['--env', `A=${'x'.repeat(200_000)}`, '--', '/bin/true'], /too long/],
  ])('refuses %s', async (_what, words, line) => {
    const { control, end } = spare()
    const said = allOf(control)
    control.write(block(words))
    expect(await end).toMatchObject({ code: 125, stdout: '', stderr: '' })
    expect(await said).toMatch(line)
  })

  it('ends when nobody needs it', async () => {
    const { control, end } = spare()
    control.end()
    expect(await end).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('needs a control descriptor', async () => {
    const child = launch(starter, ['--spare', ...options, '--', '/bin/true'])
    expect(await ended(child)).toMatchObject({
      code: 125,
      stderr: 'bridge-launch: --spare needs --control\n',
    })
  })
})

const inNamespaces = ways.filter(({ namespaces }) => namespaces)

describe.each(inNamespaces)('a spare launcher of $way', ({ starter, options }) => {
  const block = (words: string[]) => [...words, ''].map((word) => `${word}\0`).join('')

  async function startSpare(args: string[] = []) {
    const spare = startControlled(starter, ['--spare', '--namespaces', ...args])
    await expect.poll(() => childrenOf(spare.child.pid!)).toHaveLength(1)
    const [child] = childrenOf(spare.child.pid!)
    const namespace = (pid: number | 'self') => readlinkSync(`/proc/${pid}/ns/mnt`)
    await expect.poll(() => namespace(child!)).not.toBe(namespace('self'))
    return { ...spare, inside: child! }
  }

  it('is in them before it is told what to do', async () => {
    const { control, end, inside } = await startSpare()
    const space = readlinkSync(`/proc/${inside}/ns/mnt`)
    const program = ['/bin/sh', '-c', 'readlink /proc/self/ns/mnt; ls /proc/self/fd']
    control.write(block([...options, '--', ...program]))
    expect(await once(control, 'data')).toEqual(['mounted\n'])
    control.write('g')
    const { code, stdout, stderr } = await end
    expect({ code, stdout, stderr }).toEqual({
      code: 0,
      stdout: `${space}\n0\n1\n2\n3\n4\n5\n`, // 5: the folder that ls has open
      stderr: '',
    })
  })

  it.each([
    ['an unknown option', ['--what', 'x', '--', '/bin/true'], /unknown option/],
    ['no program', [...options, '--max-files', '99'], /no program/],
  ])('refuses %s', async (_what, words, line) => {
    const { control, end } = await startSpare()
    const said = allOf(control)
    control.write(block(words))
    expect(await end).toMatchObject({ code: 125, stdout: '', stderr: '' })
    expect(await said).toMatch(line)
  })

  it('ends when nobody needs it', async () => {
    const { control, end } = await startSpare()
    control.end()
    expect(await end).toMatchObject({ code: 0, stdout: '', stderr: '' })
  })

  it('takes a file system only in them', async () => {
    const { end } = startControlled(starter, ['--spare', '--spare-storage', '/tmp'])
    expect(await end).toMatchObject({
      code: 125,
      stderr: 'bridge-launch: --spare-storage needs --spare and --namespaces\n',
    })
  })
})

describe.skipIf(!isRoot)('a spare launcher (only root can mount)', () => {
  it('keeps nothing busy that the host unmounts', async () => {
    // Below what is shared, as systemd shares everything.
    const shared = mkdtempSync(join(tmpdir(), 'causeway-shared-'))
    onTestFinished(() => rmSync(shared, { recursive: true }))
    execFileSync('mount', ['-t', 'tmpfs', 'causeway-test', shared])
    onTestFinished(() => void spawnSync('umount', ['-R', '-l', shared]))
    execFileSync('mount', ['--make-shared', shared])
    const disk = join(shared, 'disk')
    mkdirSync(disk)
    execFileSync('mount', ['-t', 'tmpfs', 'causeway-test', disk])
    const { child } = startControlled(starters[0]!, ['--spare', '--namespaces'])
    await expect.poll(() => childrenOf(child.pid!)).toHaveLength(1)
    const seen = () => readFileSync(`/proc/${childrenOf(child.pid!)[0]}/mountinfo`, 'utf8')
    await expect.poll(seen).toMatch(new RegExp(`${disk} .* master:`))
    execFileSync('umount', [disk])
    expect(seen()).toContain(shared)
    expect(seen()).not.toContain(disk)
  })
})

describe.each(kinds)('the root of $kind', (kind) => {
  it('can be filled from outside before the job runs, and nobody else sees that', async () => {
    const place = makePlace(kind)
    const cat = ['/bin/busybox', 'cat', '/etc/filled'].map((path) => placed(kind, path))
    const args = [...stage(kind, place), '--', ...cat]
    const { child, control, end } = startControlled(kind.starter, args)
    await once(control, 'data')
    const root = `/proc/${childrenOf(child.pid!)[0]}/root${place.root}`
    fill(kind, join(root, 'etc/filled'))
    expect(existsSync(join(place.root, 'etc/filled'))).toBe(false)
    control.write('g')
    expect(await end).toMatchObject({ code: 0, stdout: 'from outside\n' })
    expect(readFileSync(join(place.upper, 'etc/filled'), 'utf8')).toBe('from outside\n')
  })
})

/** As whoever runs the daemon: the ids of a user's namespace are that user's only. */
function fill({ starter: { spawn: user } }: Kind, path: string): void {
  execFileSync('/bin/sh', ['-c', 'echo from outside > "$1"', 'sh', path], {
    ...(user.uid !== undefined && user.gid !== undefined && { uid: user.uid, gid: user.gid }),
  })
}

const placed = (kind: Kind, word: string) => (word.startsWith('/') ? inRoot(kind, word) : word)

/** All that is said until the end. */
async function allOf(control: Duplex): Promise<string> {
  let said = ''
  control.on('data', (chunk: string) => (said += chunk))
  await new Promise((resolve) => control.once('close', resolve))
  return said
}

function commandOf(pid: number): string[] {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0')
}
