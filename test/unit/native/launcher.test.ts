import { once } from 'node:events'
import { openSync, readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { compile, isRoot, launch, ordinaryUid, probe, run, starters, ways } from './job.ts'

const shell = (script: string) => ['--', '/bin/sh', '-c', script]

function sessionOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
  return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[3])
}

describe('bridge-launch --probe', () => {
  it.each(starters)('tells $name what there is', (starter) => {
    const answer = probe(starter)
    expect(Object.keys(answer)).toEqual(['namespaces', 'namespacesError', 'landlockAbi', 'seccomp'])
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
    const { stdout } = await job('cat /proc/self/status')
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

// Prints the errno of each call, made with arguments that fail in some way when it is allowed.
const calls = `
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>
int main(int argc, char **argv) {
  for (int at = 1; at < argc; at++) {
    errno = 0;
    syscall(atoi(argv[at]), -1, 0, 0, 0, 0, 0);
    printf("%s", errno == ENOSYS ? "-" : "+");
  }
}
`
const refused = {
  io_uring: [425, 426, 427],
  open_tree: [428],
  mounts: [429, 430, 431, 432, 433, 442],
  clone3: [435],
  openat2: [437],
  faccessat2: [439],
  fchmodat2: [452],
  'statmount and listmount': [457, 458],
  'xattrat calls': [463, 464, 465, 466],
  'file_getattr and file_setattr': [468, 469],
  'calls that do not exist yet': [470, 999, 1 << 20],
  execveat: [322],
  'file handles': [303, 304],
  'x32 calls': [0x40000000, 0x40000002],
}
const allowed = {
  'pidfd calls': [424, 434, 438],
  close_range: [436],
  'memory calls': [440, 448],
  epoll_pwait2: [441],
  landlock: [444, 445, 446],
  futexes: [449],
  'old path calls': [2, 4, 59, 257, 262, 269],
}

describe.skipIf(process.arch !== 'x64')('the system call filter', () => {
  const [starter] = starters
  const program = compile('calls', calls, 'cc', ['-static'])!
  const answers = async (numbers: number[], options: string[] = []) => {
    const args = [...starter!.options, ...options, '--', program, ...numbers.map(String)]
    return (await run(starter!, args)).stdout
  }

  it.each(Object.entries(refused))('has no %s', async (_name, numbers) => {
    expect(await answers(numbers)).toBe('-'.repeat(numbers.length))
  })

  it.each(Object.entries(allowed))('lets %s through', async (_name, numbers) => {
    expect(await answers(numbers)).toBe('+'.repeat(numbers.length))
  })

  it('hides statx only when asked to', async () => {
    expect(await answers([332])).toBe('+')
    expect(await answers([332], ['--hide-statx'])).toBe('-')
  })

  it('leaves programs the older calls', async () => {
    const script = 'ls -l /etc/passwd && [ -r /etc/passwd ] && stat /etc/passwd'
    const args = [...starter!.options, '--hide-statx', ...shell(script)]
    expect(await run(starter!, args)).toMatchObject({ code: 0, stderr: '' })
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
      stderr: 'bridge-launch: root needs --uid and --gid\n',
    })
  })

  it.skipIf(!isRoot)('never gives an ordinary user another identity', async () => {
    const ordinary = starters.at(-1)!
    const args = ['--uid', '1', '--gid', '1', '--', '/bin/true']
    expect(await run(ordinary, args)).toMatchObject({ code: 125, stderr: /^bridge-launch: setres/ })
  })
})
