import { execFileSync, spawn, type ChildProcess } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { once } from 'node:events'
import { chmodSync, existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Readable, Writable } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { describe, expect, it, onTestFinished } from 'vitest'
import { compile, ended, folder, guestInit, isInstalled, launcher, probe, starters } from './job.ts'
import { untilCount } from './processes.ts'

const abiWithScopes = 6
const shieldHolds = probe(starters[0]!).landlockAbi >= abiWithScopes

function startWaiting() {
  return spawn(guestInit, {
    stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
    env: {},
  })
}

/** Starts the init with that on descriptor 3. */
function startWith(block: string | Buffer) {
  const child = startWaiting()
  const start = child.stdio[3] as Writable
  // The init may end before it has read all of a block that is too long.
  start.on('error', () => {})
  start.end(block)
  return child
}

/** Command and environment as the init reads them. */
const startBlock = (argv: string[], environment: string) =>
  `${argv.map((argument) => `${argument}\0`).join('')}\0${environment}`

const start = (argv: string[], environment = 'PATH=/usr/bin:/bin\0') =>
  startWith(startBlock(argv, environment))

async function run(argv: string[], environment?: string) {
  return outcome(start(argv, environment))
}

async function outcome(child: ChildProcess) {
  const { records, ...rest } = await ended(child)
  return { ...rest, records: parse(records) }
}

function parse(records: Buffer): [string, number][] {
  expect(records.length % 8).toBe(0)
  return Array.from({ length: records.length / 8 }, (_, index) => {
    expect(records.readUIntLE(8 * index + 1, 3)).toBe(0)
    return [String.fromCharCode(records[8 * index]!), records.readUInt32LE(8 * index + 4)]
  })
}

const shell = (script: string) => ['/bin/sh', '-c', script]
const runs: [string, unknown] = ['S', expect.any(Number)]

/** All records of a job: S only when it could be executed. */
function withStart(records: unknown[][]): unknown[][] {
  return records[0]?.[0] === 'E' ? records : [runs, ...records]
}

describe('records of bridge-guest-init', () => {
  it.each([
    ['exit 0', shell('exit 0'), 0, [['X', 0]]],
    ['exit 3', shell('exit 3'), 3, [['X', 768]]],
    ['SIGKILL', shell('kill -9 $$'), 137, [['X', 9]]],
    ['SIGSEGV', shell('kill -11 $$'), 139, [['X', 11]]],
    [
      'a missing program',
      ['/missing'],
      127,
      [
        ['E', 2],
        ['X', 127 << 8],
      ],
    ],
    [
      'a missing name',
      ['missing'],
      127,
      [
        ['E', 2],
        ['X', 127 << 8],
      ],
    ],
    [
      'a folder',
      ['/etc'],
      126,
      [
        ['E', 13],
        ['X', 126 << 8],
      ],
    ],
    [
      'a file that is not executable',
      ['/etc/passwd'],
      126,
      [
        ['E', 13],
        ['X', 126 << 8],
      ],
    ],
  ])('tell %s', async (_what, argv, code, records) => {
    expect(await run(argv)).toMatchObject({ code, records: withStart(records) })
  })

  it('tell a text without interpreter line', async () => {
    const script = join(folder, 'no-shebang')
    writeFileSync(script, 'exit 0\n')
    chmodSync(script, 0o755)
    expect((await run([script])).records).toEqual(
      withStart([
        ['E', 8],
        ['X', 126 << 8],
      ]),
    )
  })

  it("give main's pid", async () => {
    const { records, stdout } = await run(shell('echo $$'))
    expect(records[0]).toEqual(['S', Number(stdout)])
  })

  it('give the status of main, not of what ends later or earlier', async () => {
    const { records } = await run(shell('(exit 7) & (sleep 0.2; exit 8) & exit 3'))
    expect(records).toEqual(withStart([['X', 768]]))
  })

  it('say nothing before it was told what to run', async () => {
    const child = startWaiting()
    const records = once(child.stdio[4]!, 'data')
    const first = await Promise.race([
      records,
      once(child, 'spawn').then(() => pause(100, 'nothing')),
    ])
    expect(first).toBe('nothing')
    ;(child.stdio[3] as Writable).end(startBlock(shell('exit 5'), ''))
    expect((await ended(child)).code).toBe(5)
  })

  it('may find no reader, and the job goes on', async () => {
    const child = start(shell('sleep 0.2; echo done'))
    child.stdio[4]?.destroy()
    expect(await ended(child)).toMatchObject({ code: 0, stdout: 'done\n' })
  })

  it.each([
    ['a block past 256 KiB', Buffer.alloc(256 * 1024 + 1, 'x'), 7],
    ['more than 4096 strings', 'A\0\0'.padEnd(4096 * 2 + 1, 'B\0'), 7],
    ['nothing at all', '', 2],
    ['no command', '\0A=1\0', 2],
    ['a command without the empty string behind it', '/bin/true\0', 2],
  ])('refuse %s', async (_what, block, errno) => {
    const { code, records } = await outcome(startWith(block))
    expect({ code, records }).toEqual({ code: 126, records: [['E', errno]] })
  })
})

describe('the command on descriptor 3', () => {
  it('reaches main byte for byte', async () => {
    const argv = ['two words', 'line\nline', '\u00e9\u{1f600}', '$HOME', '--', '-n']
    const { stdout } = await run([...shell('printf "%s|" "$0" "$@"'), ...argv])
    expect(stdout).toBe(`${argv.join('|')}|`)
  })

  it('is not what the init itself was started with', async () => {
    const options = {
      stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
      env: { A: 'ours' },
    } as const
    const child = spawn(guestInit, ['/bin/echo', 'ours'], { ...options, stdio: [...options.stdio] })
    ;(child.stdio[3] as Writable).end(startBlock(shell('echo "$A$0"'), ''))
    expect((await ended(child)).stdout).toBe('/bin/sh\n')
  })
})

describe('the environment on descriptor 3', () => {
  it('reaches main byte for byte, and nothing else does', async () => {
    const variables = ['A=', 'B=two words', 'C=line\nline', 'D=a=b', 'E=\u00e9\u{1f600}', 'plain']
    const { stdout } = await run(['/usr/bin/env', '-0'], variables.map((v) => `${v}\0`).join(''))
    expect(stdout.split('\0').slice(0, -1)).toEqual(variables)
  })

  it('may lack the last NUL, or be empty', async () => {
    expect((await run(['/usr/bin/env'], 'A=1\0B=2')).stdout).toBe('A=1\nB=2\n')
    expect((await run(['/usr/bin/env'], '')).stdout).toBe('')
  })

  it('takes 4096 strings with the command, and 256 KiB', async () => {
    const { stdout } = await run(['/usr/bin/env', '-0'], 'A=\0'.repeat(4096 - 3))
    expect(stdout).toHaveLength(3 * (4096 - 3))
    const nearLimit = `A=${'x'.repeat(120_000)}\0B=${'y'.repeat(120_000)}\0`
    expect((await run(['/usr/bin/env', '-0'], nearLimit)).stdout).toBe(nearLimit)
  })

  it('has the PATH that a bare name is looked up in', async () => {
    writeFileSync(join(folder, 'tool'), '#!/bin/sh\necho found\n', { mode: 0o755 })
    writeFileSync(join(folder, 'locked'), '#!/bin/sh\n', { mode: 0o644 })
    const path = `PATH=/missing:/etc/passwd:${folder}\0`
    expect((await run(['tool'], path)).stdout).toBe('found\n')
    expect((await run(['locked'], path)).records.at(-2)).toEqual(['E', 13])
    expect((await run(['true'], 'HOME=/\0')).code).toBe(0)
  })
})

describe('main under bridge-guest-init', () => {
  it('leads a session, blocks no signal, has no descriptor of the init', async () => {
    const script =
      'cat /proc/self/status; ps -o sid= -p $$; echo $$; for f in 3 4; do [ -e /proc/$$/fd/$f ] || printf none; done'
    const { stdout } = await run(shell(script))
    expect(stdout).toMatch(/^SigBlk:\t0{16}$/m)
    const [sid, pid, descriptors] = stdout.trim().split('\n').slice(-3)
    expect(sid?.trim()).toBe(pid)
    expect(descriptors).toBe('nonenone')
  })

  it('finds its orphans reaped', async () => {
    // The orphan ends while main lives; a zombie would still be listed below the init.
    const script =
      '(sleep 0.1 & echo $! ); sleep 0.4; cat /proc/$PPID/task/*/children; echo; echo $$'
    const { stdout } = await run(shell(script))
    const [, children, main] = stdout.trim().split('\n')
    expect(children?.trim()).toBe(main)
  })

  it.skipIf(!shieldHolds)('can neither signal nor read the init', async () => {
    const script = 'for s in 9 15 64; do kill -$s $PPID; done; echo S > /proc/$PPID/fd/4; exit 4'
    const { records, stderr } = await run(shell(script))
    expect(records).toEqual(withStart([['X', 4 << 8]]))
    expect(stderr.match(/Operation not permitted/g)).toHaveLength(3)
    expect(stderr).toMatch(/fd\/4: Permission denied/)
  })

  it.skipIf(!shieldHolds)('can still rename across folders', async () => {
    const script = `cd ${folder}; mkdir -p a b; echo > a/x; exec python3 -c`
    const { code } = await run([...shell(`${script} 'import os; os.rename("a/x", "b/x")'`)])
    expect(code).toBe(0)
  })
})

/** Stands in for the tracer: starts the init, tells its pid, and waits. */
const parent = `
#include <stdio.h>
#include <unistd.h>
int main(int argc, char **argv) {
  if (argc > 1 && fork() == 0) return execv(argv[1], argv + 1);
  for (;;) pause();
}
`

describe('when the tracer dies', () => {
  it('ends the whole job', async () => {
    const token = `300.${randomUUID().replaceAll('-', '').replaceAll(/[a-f]/g, '0')}`
    const script = `setsid sleep ${token} & (trap "" TERM; sleep ${token}) & sleep ${token}`
    const tracer = spawn(compile('tracer', parent)!, [guestInit], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'ignore'],
    })
    onTestFinished(() => void tracer.kill('SIGKILL'))
    ;(tracer.stdio[3] as Writable).end(startBlock(shell(script), 'PATH=/usr/bin:/bin\0'))
    await untilCount(token, 3)
    tracer.kill('SIGKILL')
    expect(await untilCount(token, 0)).toEqual([])
  })

  it('starts no job that it was not told of yet', async () => {
    const made = join(folder, randomUUID())
    const tracer = spawn(compile('tracer', parent)!, [guestInit], {
      stdio: ['ignore', 'ignore', 'ignore', 'pipe', 'pipe'],
    })
    onTestFinished(() => void tracer.kill('SIGKILL'))
    await untilInitSleeps()
    tracer.kill('SIGKILL')
    await once(tracer, 'exit')
    const records = once((tracer.stdio[4] as Readable).resume(), 'end')
    ;(tracer.stdio[3] as Writable)
      .on('error', () => {})
      .end(startBlock(['/usr/bin/touch', made], ''))
    await records
    expect(existsSync(made)).toBe(false)
  })
})

/** As it does only when it waits for what to run. */
async function untilInitSleeps(): Promise<void> {
  const sleeps = (pid: number) =>
    readFileSync(`/proc/${pid}/cmdline`, 'utf8') === `${guestInit}\0` &&
    readFileSync(`/proc/${pid}/stat`, 'utf8').includes(') S ')
  while (!(await untilCount(guestInit, 2)).some(sleeps)) await pause(1)
}

describe('the file', () => {
  it.skipIf(!isInstalled('readelf'))('is static, small, and has no executable stack', () => {
    const headers = execFileSync('readelf', ['-W', '-l', guestInit], { encoding: 'utf8' })
    expect(headers).not.toContain('INTERP')
    expect(headers).toMatch(/GNU_STACK.*RW /)
  })
})

describe('filters of the job', () => {
  const script = `import ctypes
libc = ctypes.CDLL(None, use_errno=True)
libc.prctl(22, 2, 0, 0, 0)
print(ctypes.get_errno())
libc.syscall(317, 1, 0, 0)
print(ctypes.get_errno())`

  it.runIf(process.arch === 'x64')(
    'are refused by the init where the launcher could not',
    async () => {
      const [starter] = starters
      const options = [...starter!.options, '--filter', 'plain', '--filters-more']
      const child = spawn(launcher, [...options, '--', guestInit], {
        stdio: ['ignore', 'pipe', 'pipe', 'pipe', 'pipe'],
        env: {},
        ...starter!.spawn,
      })
      ;(child.stdio[3] as Writable).end(startBlock(['/usr/bin/python3', '-c', script], 'A=1\0'))
      expect((await ended(child)).stdout).toBe('22\n22\n')
    },
  )
})
