import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { ended, isRoot, launch, launcher, ordinaryUid, probe, run, starters, ways } from './job.ts'

const shell = (script: string) => ['--', '/bin/sh', '-c', script]

function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3])
}

describe('bridge-launch --probe', () => {
  it.each(starters)('tells $name what there is', (starter) => {
    const answer = probe(starter)
    expect(Object.keys(answer)).toEqual([
      'namespaces',
      'namespacesError',
      'landlockAbi',
      'seccomp',
      'filters',
    ])
    expect(answer.filters).toBe(true)
    expect(answer.namespacesError === null).toBe(answer.namespaces)
    expect(answer.seccomp).toBe(true)
    expect(answer.landlockAbi).toBeGreaterThanOrEqual(0)
  })
})

describe.each(ways)('a job started by $way', ({ starter, options, namespaces }) => {
  const job = (script: string) => run(starter, [...options, ...shell(script)])

  it.each([
    ['exit 0', 0],
    ['exit 3', 3],
    ['kill -9 $$', namespaces ? 0 : 137],
    ['(exit 7) & exit 3', 3],
  ])('ends with the code of %s', async (script, code) => {
    expect(await job(script)).toMatchObject({ code, signal: null, stderr: '' })
  })

  it('has one user, no group besides, and no capability', async () => {
    const args = [...options, '--filter', 'plain', '--', '/bin/cat', '/proc/self/status']
    const { stdout } = await run(starter, args)
    const ids = Array(4)
      .fill(isRoot ? ordinaryUid : process.getuid?.())
      .join('\t')
    expect(stdout).toMatch(`\nUid:\t${ids}\n`)
    // Only root can leave its groups; an ordinary user's own stay.
    expect(stdout).toMatch(isRoot ? /\nGroups:\t(65534)? *\n/ : /\nGroups:/)
    for (const set of ['CapInh', 'CapPrm', 'CapEff', 'CapAmb']) {
      expect(stdout).toMatch(`\n${set}:\t0000000000000000\n`)
    }
    expect(stdout).toMatch('\nNoNewPrivs:\t1\n')
    expect(stdout).toMatch('\nSeccomp:\t2\n')
  })

  it('cannot dump core, and raise no limit to do so', async () => {
    expect((await job('ulimit -Hc; ulimit -Sc')).stdout).toBe('0\n0\n')
  })

  it('has no environment but the one given to its program', async () => {
    const args = [...options, '--env', 'A=1 2', '--env', 'B=', '--', '/usr/bin/env']
    const { stdout } = await run(starter, args, { env: { LD_PRELOAD: '/x.so', SECRET: 'x' } })
    expect(stdout).toBe('A=1 2\nB=\n')
  })

  it('has descriptors 0 to 4 and no other', async () => {
    const leaked = openSync('/dev/null', 'r')
    const stdio = ['ignore', 'pipe', 'pipe', 'ignore', 'pipe', leaked, leaked, leaked] as const
    const args = [...options, '--', '/bin/ls', '-C', '/proc/self/fd']
    // ls itself has the folder open as 5.
    expect((await run(starter, args, { stdio: [...stdio] })).stdout).toBe('0  1  2  3  4  5\n')
    expect((await run(starter, args)).stdout).toBe('0  1  2  3  4  5\n')
  })

  it('passes descriptors 3 and 4 through', async () => {
    const args = [...options, ...shell('echo record >&4')]
    const { records } = await run(starter, args, {
      stdio: ['ignore', 'pipe', 'pipe', 'ignore', 'pipe'],
    })
    expect(records.toString()).toBe('record\n')
  })

  it('leads a session at "/", with no signal blocked or ignored', async () => {
    const { stdout } = await job('ps -o sid= -p $$; echo $$; pwd; umask; cat /proc/self/status')
    const [sid, pid, directory, mask] = stdout.split('\n')
    expect([sid?.trim(), directory, mask]).toEqual([pid, '/', '0022'])
    expect(stdout).toMatch('\nSigBlk:\t0000000000000000\n')
    expect(stdout).toMatch('\nSigIgn:\t0000000000000000\n')
  })

  it('is out of reach of a Ctrl-C to the group of its starter', async () => {
    const child = launch(starter, [...options, ...shell('echo ready; sleep 100')])
    await once(child.stdout!, 'data')
    expect(sessionOf(child.pid!)).toBe(child.pid)
    child.kill()
    await once(child, 'exit')
  })

  it('sees only its own processes in namespaces', async () => {
    const { stdout } = await job('echo $$; ls -d /proc/[0-9]* | wc -l')
    const [pid, count] = stdout.split('\n').map(Number)
    expect(pid === 1).toBe(namespaces)
    expect(count! < 4).toBe(namespaces)
  })
})

describe('a command line that cannot be obeyed', () => {
  const [starter] = starters
  const given = starter!.options
  it.each([
    ['no program', given, /no program/],
    ['no program after --', [...given, '--'], /no program/],
    ['a relative program', [...given, '--', 'sh'], /absolute path/],
    ['a missing program', [...given, '--', '/missing'], /\/missing: No such file/],
    ['an unknown option', ['--what', 'x', '--', '/bin/true'], /unknown option/],
    ['a value too few', ['--uid'], /unknown option, or one without its value/],
    ['a uid without a gid', ['--uid', '5', '--', '/bin/true'], /go together/],
    ['uid 0', ['--uid', '0', '--gid', '5', '--', '/bin/true'], /neither of them 0/],
    ['uid -1', ['--uid', '-1', '--gid', '5', '--', '/bin/true'], /--uid needs/],
    ['uid 2^32-1', ['--uid', '4294967295', '--gid', '5', '--', '/bin/true'], /--uid needs/],
    ['uid 2^32', ['--uid', '4294967296', '--gid', '5', '--', '/bin/true'], /--uid needs/],
    ['a uid with letters', ['--uid', '5x', '--gid', '5', '--', '/bin/true'], /--uid needs/],
    ['an --env without =', [...given, '--env', 'A', '--', '/bin/true'], /--env needs K=V/],
    ['a filter that is none', [...given, '--filter', 'some', '--', '/bin/true'], /--filter needs/],
    ['a relative rule', [...given, '--read', 'etc', '--', '/bin/true'], /absolute path/],
    ['a bind without target', [...given, '--bind', '/etc', '--', '/bin/true'], /SOURCE:\/TARGET/],
    [
      'a bind to a relative target',
      [...given, '--bind', '/a:b', '--', '/bin/true'],
      /SOURCE:\/TARGET/,
    ],
    [
      'a number with letters',
      [...given, '--max-files', '5k', '--', '/bin/true'],
      /--max-files needs/,
    ],
    [
      'a number below 0',
      [...given, '--max-processes', '-1', '--', '/bin/true'],
      /--max-processes needs/,
    ],
    ['a processor that is no number', [...given, '--cpu', 'all', '--', '/bin/true'], /--cpu needs/],
    [
      'a root without namespaces',
      [...given, '--root', '/a', '--', '/bin/true'],
      /need --namespaces/,
    ],
    [
      'a stage without namespaces',
      [...given, '--stage', '/a', '--', '/bin/true'],
      /need --namespaces/,
    ],
    [
      'a stage without a root',
      [...given, '--namespaces', '--stage', '/a', '--', '/bin/true'],
      /--stage needs --root/,
    ],
    ['a pivot without a stage', [...given, '--pivot', '--', '/bin/true'], /--pivot needs --stage/],
    [
      'an image without a layer',
      [...given, '--namespaces', '--root', '/a', '--lower', '/b', '--', '/bin/true'],
      /--lower needs --root, --upper and --work/,
    ],
    [
      'more rules than it has room for',
      [...given, ...Array<string[]>(65).fill(['--read', '/etc']).flat(), '--', '/bin/true'],
      /too many paths/,
    ],
    [
      'more variables than it has room for',
      [...given, ...Array<string[]>(17).fill(['--env', 'A=1']).flat(), '--', '/bin/true'],
      /too many --env/,
    ],
    ['another parent', [...given, '--parent', '1', '--', '/bin/true'], /the parent is gone/],
  ])('with %s ends with 125 and one line', async (_what, args, line) => {
    const { code, stderr } = await run(starter!, args)
    expect(code).toBe(125)
    expect(stderr).toMatch(line)
    expect(stderr).toMatch(/^bridge-launch: .*\n$/)
  })

  it('takes its real parent', async () => {
    const args = [...given, '--parent', `${process.pid}`, '--', '/bin/true']
    expect(await run(starter!, args)).toMatchObject({ code: 0, stderr: '' })
  })

  it.skipIf(!isRoot)('never runs a job as root', async () => {
    const { code, stderr } = await run({ ...starter!, options: [] }, ['--', '/bin/true'])
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: 'bridge-launch: root needs --uid and --gid, or --range\n',
    })
  })

  it.skipIf(!isRoot)('never gives an ordinary user another identity', async () => {
    const ordinary = starters.at(-1)!
    const args = ['--uid', '1', '--gid', '1', '--', '/bin/true']
    expect(await run(ordinary, args)).toMatchObject({ code: 125, stderr: /^bridge-launch: setres/ })
  })

  it.skipIf(!isRoot).each([
    ['with a uid', ['--range', '1970000000', '--uid', '5', '--gid', '5']],
    ['without a pivot', ['--range', '1970000000']],
  ])('never gives 65,536 ids %s', async (_what, options) => {
    const root = ['--namespaces', '--root', '/tmp', '--stage', '/tmp']
    const args = [...options, ...root, '--', '/bin/true']
    const { code, stderr } = await run({ ...starter!, options: [] }, args)
    expect({ code, stderr }).toEqual({
      code: 125,
      stderr: 'bridge-launch: --range is for root, with --pivot and without --uid\n',
    })
  })

  it.each([
    ['--range', /--range is for root/],
    ['--lower-owner', /--lower-owner is for root/],
  ])('takes %s from root only', async (option, line) => {
    const root = ['--namespaces', '--root', '/tmp', '--stage', '/tmp', '--pivot']
    const ordinary = starters.at(-1)!
    const args = [option, '1970000000', ...root, '--', '/bin/true']
    const { code, stderr } = await run(ordinary, args)
    expect(code).toBe(125)
    expect(stderr).toMatch(line)
  })
})

// add_key(2) into the session keyring of the process that becomes the launcher.
const withKey = `
import ctypes, os, sys
libc = ctypes.CDLL(None)
assert libc.syscall(250, 1, None) > 0
assert libc.syscall(248, b"user", b"causeway-test", b"secret", 6, -3) > 0
os.execv(sys.argv[1], sys.argv[1:])
`
const findKey = `
import ctypes, os
libc = ctypes.CDLL(None, use_errno=True)
found = libc.syscall(250, 10, -3, b"user", b"causeway-test", 0)
print("found" if found > 0 else os.strerror(ctypes.get_errno()))
`

describe.skipIf(process.arch !== 'x64').each(ways)(
  "the operator's keys and a job of $way",
  (way) => {
    const keyOf = async (command: string[]) => {
      const { uid, gid } = way.starter.spawn
      const child = spawn(
        'python3',
        ['-c', withKey, ...command, '/usr/bin/python3', '-c', findKey],
        {
          cwd: '/',
          ...(uid !== undefined && gid !== undefined && { uid, gid }),
        },
      )
      return (await ended(child)).stdout.trim()
    }

    it('are not in its session, filter or not', async () => {
      expect(await keyOf(['/usr/bin/env'])).toBe('found')
      expect(await keyOf([launcher, ...way.options, '--'])).toBe('Required key not available')
    })
  },
)
