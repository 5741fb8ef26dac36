/**
 * `bridge-unpack` as a program: its options, its confinement, its decoder, its end.
 */
import { spawn, spawnSync, type ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import {
  chownSync,
  closeSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  readlinkSync,
} from 'node:fs'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { nativePaths } from '@causeway/native'
import { describe, expect, onTestFinished } from 'vitest'
import { compress, rootOf } from '../images/tar-fixture.ts'
import { isRoot, test } from '../images/temp-folder.ts'
import { hello, noise } from '../images/unpack-fixture.ts'
import { untilCount } from './processes.ts'

const program = nativePaths.unpacker
const uid = isRoot ? 61_234 : process.getuid!()
const identity = isRoot ? ['--uid', `${uid}`, '--gid', '61235'] : []

/** A folder that the program may work in. */
function workplace(folder: string): string {
  const cwd = join(folder, 'staging')
  mkdirSync(cwd, { mode: 0o700 })
  if (isRoot) chownSync(cwd, uid, 61_235)
  return cwd
}

/** Runs it to its end on `input`. */
function run(folder: string, args: readonly string[], input: Buffer) {
  const options = { cwd: workplace(folder), input, encoding: 'utf8', env: {} } as const
  return spawnSync(program, [...identity, ...args], options)
}

describe('options', () => {
  test.for<[string, string[], string]>([
    ['an unknown one', ['--quiet', '1'], 'unknown option'],
    ['one without its value', ['--max-bytes'], 'without its value'],
    ['a negative limit', ['--max-bytes', '-1'], '--max-bytes needs'],
    ['a limit of letters', ['--max-entries', '1k'], '--max-entries needs'],
    ['an empty limit', ['--max-entries', ''], '--max-entries needs'],
    ['the id that means no change', ['--uid', '4294967295'], '--uid needs'],
    ['a uid alone', ['--uid', '5', '--gid', '0'], 'go together'],
    ['root', ['--uid', '0', '--gid', '0'], isRoot ? 'root needs' : '"entries"'],
    ['a decoder by its name', ['--', 'xz', '-dc'], 'absolute path'],
    ['a decoder that is not there', ['--', '/nowhere/xz'], '/nowhere/xz: '],
    ['a parent that is not its own', ['--parent', '1'], 'the parent is gone'],
  ])('%s', ([, args, message], { folder }) => {
    const { stdout, stderr } = run(folder, args, rootOf(hello))
    expect(stdout + stderr).toContain(message)
  })
})

describe('what it says', () => {
  test('one line of JSON for success', ({ folder }) => {
    const archive = rootOf(hello, { name: 'dev/x', type: '3' })
    const { status, stdout, stderr } = run(folder, [], archive)
    expect([status, stderr]).toEqual([0, ''])
    const result = { entries: 3, bytes: archive.length, skipped: 1, wrapped: false }
    expect(stdout).toBe(`${JSON.stringify(result)}\n`)
  })

  test('one line that begins with a code word for failure', ({ folder }) => {
    const { status, stdout, stderr } = run(folder, [], rootOf({ name: '../x' }))
    expect([status, stdout]).toEqual([1, ''])
    expect(stderr).toBe('INVALID image entry "../x" leads out of the image\n')
  })
})

/** Started with a pipe that stays open; ends with the test. */
async function running(
  folder: string,
  args: readonly string[],
  use: (child: ChildProcess & { pid: number }) => void | Promise<void>,
): Promise<void> {
  const command = [...identity, ...args]
  const options = { cwd: workplace(folder), env: { SECRET: 'x' } }
  const child = spawn(program, command, options) as ChildProcess & { pid: number }
  const ended = once(child, 'close')
  try {
    // Half of an archive: it has confined itself, and waits for more.
    child.stdin!.write(rootOf(hello).subarray(0, 1024))
    await until(() => existsSync(join(folder, 'staging/bin')) || withoutOutput(args))
    await use(child)
  } finally {
    child.kill('SIGKILL')
    await ended
  }
}

/** With a decoder nothing comes out of half an archive. */
function withoutOutput(args: readonly string[]): boolean {
  return args.includes('--')
}

async function until(holds: () => boolean): Promise<void> {
  for (const deadline = Date.now() + 10_000; !holds(); await delay(5)) {
    if (Date.now() > deadline) throw new Error('it did not come to that within 10 s')
  }
}

/** Fields of /proc/PID/status. */
function statusOf(pid: number): Record<string, string> {
  const lines = readFileSync(`/proc/${pid}/status`, 'utf8').trim().split('\n')
  return Object.fromEntries(lines.map((line) => line.split(/:\s*/, 2) as [string, string]))
}

/** The decoder's pid, once it is what it is to be. */
async function decoderOf(pid: number): Promise<number> {
  const child = () => readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim()
  await until(() => child() !== '' && commandOf(child()).startsWith('/usr/bin/'))
  return Number(child())
}

function commandOf(pid: number | string): string {
  return readFileSync(`/proc/${pid}/cmdline`, 'utf8')
}

describe('confinement', () => {
  test('its user, rights, descriptors and limits', async ({ folder }) => {
    await running(folder, ['--max-bytes', '1048576'], ({ pid }) => {
      const status = statusOf(pid)
      expect(status['Uid']?.split('\t')).toEqual(Array.from({ length: 4 }, () => `${uid}`))
      expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2', CapEff: '0000000000000000' })
      expect(isRoot ? status['Groups']?.trim() : '').toBe('')
      const staging = join(folder, 'staging')
      // The tree and the folder it made something in last; nothing of ours but the standard ones.
      const open = ['3', '4'].map((fd) => readlinkSync(`/proc/${pid}/fd/${fd}`))
      expect(readdirSync(`/proc/${pid}/fd`).length).toBe(5)
      expect(open).toEqual([staging, staging])
      const limits = readFileSync(`/proc/${pid}/limits`, 'utf8')
      expect(limits).toMatch(/Max file size +1048576 +1048576/)
      expect(limits).toMatch(/Max core file size +[01] +[01]/)
    })
  })

  test('of a decoder', async ({ folder }) => {
    await running(folder, ['--', '/usr/bin/xz', '-dc'], async ({ pid }) => {
      const decoder = await decoderOf(pid)
      const status = statusOf(decoder)
      expect(status).toMatchObject({ NoNewPrivs: '1', Seccomp: '2', CapEff: '0000000000000000' })
      expect(status['Uid']).toBe(`${uid}\t${uid}\t${uid}\t${uid}`)
      expect(readFileSync(`/proc/${decoder}/environ`, 'utf8')).toBe('')
    })
  })

  test('what a decoder that was taken over can reach', ({ folder }) => {
    const script = `
      sub attempt { print STDERR "$_[0]=", ($_[1] ? "done" : "refused"), "\\n" }
      attempt("system", open(F, "<", "/usr/bin/perl"));
      attempt("passwords", open(F, "<", "/etc/passwd"));
      attempt("etc", opendir(D, "/etc"));
      attempt("outside", open(F, ">", "${folder}/new"));
      attempt("staging", open(F, ">", "${folder}/staging/new"));
      attempt("socket", socket(S, 1, 1, 0));
      attempt("signal", kill(0, getppid()));
      attempt("process", defined(fork()));
      exit 3`
    const { stderr } = run(folder, ['--', '/usr/bin/perl'], Buffer.from(script))
    const outcomes = stderr.trim().split('\n')
    expect(outcomes).toEqual([
      'system=done',
      ...['passwords', 'etc', 'outside', 'staging', 'socket', 'signal', 'process'].map(
        (name) => `${name}=refused`,
      ),
      'DECODER failed',
    ])
    expect(readdirSync(folder)).toEqual(['staging'])
  })
})

function endIfAlive(pid: number): void {
  if (existsSync(`/proc/${pid}`)) process.kill(pid, 'SIGKILL')
}

describe('its end', () => {
  test('comes with that of its parent, and its decoder ends too', async ({ folder }) => {
    const token = `${Date.now()}${process.pid}`.slice(-15)
    const args = [...identity, '--max-bytes', token, '--', '/usr/bin/xz', '-dc']
    // Its input never ends, so only the death of the shell can end it. (A pipe of Node's would be
    // closed with the shell.)
    const input = join(folder, 'input')
    spawnSync('mkfifo', [input])
    const fd = openSync(input, 'r+')
    const shell = spawn('/bin/sh', ['-c', 'exec 3<&0; "$@" <&3 & wait', 'sh', program, ...args], {
      cwd: workplace(folder),
      stdio: [fd, 'ignore', 'ignore'],
    })
    closeSync(fd)
    const pids = await untilCount(token, 2)
    const unpacker = pids.find((pid) => pid !== shell.pid)!
    const decoder = await decoderOf(unpacker)
    onTestFinished(() => endIfAlive(decoder))
    // As confined as it gets: a death signal is sent by its rights.
    await until(() => statusOf(unpacker)['Seccomp'] === '2')
    shell.kill('SIGKILL')
    await untilCount(token, 0)
    await until(() => !existsSync(`/proc/${decoder}`))
  })

  test('of a decoder by a signal is told', async ({ folder }) => {
    await running(folder, ['--', '/usr/bin/xz', '-dc'], async (child) => {
      const stderr = once(child.stderr!, 'data') as Promise<[Buffer]>
      process.kill(await decoderOf(child.pid), 'SIGKILL')
      expect((await stderr)[0].toString()).toBe('DECODER ended by a signal\n')
    })
  })
})

describe('input', () => {
  const archive = rootOf(hello, { name: 'etc/noise', body: noise(5000) }, { name: 'etc/last' })

  test.for([1, 7, 511, 512, 513, 4096])('in pieces of %d bytes', async (size, { folder }) => {
    const child = spawn(program, identity, { cwd: workplace(folder), env: {} })
    const ended = once(child, 'close') as Promise<[number]>
    for (let at = 0; at < archive.length; at += size) {
      if (!child.stdin.write(archive.subarray(at, at + size))) await once(child.stdin, 'drain')
      if (size === 1 ? at % 97 === 0 : true) await delay(0)
    }
    child.stdin.end()
    expect((await ended)[0]).toBe(0)
    expect(readFileSync(join(folder, 'staging/etc/noise')).equals(noise(5000))).toBe(true)
  })

  test('that ends early ends a decoder that has more', ({ folder }) => {
    const more = Buffer.concat([rootOf(hello), noise(400_000)])
    const { stdout } = run(folder, ['--', '/usr/bin/xz', '-dc'], compress('tar.xz', more))
    expect(JSON.parse(stdout)).toMatchObject({ bytes: more.length })
  })

  test('refused early ends a decoder that has more', ({ folder }) => {
    const more = Buffer.concat([rootOf({ name: '../x' }), noise(400_000)])
    const { stderr } = run(folder, ['--', '/usr/bin/xz', '-dc'], compress('tar.xz', more))
    expect(stderr).toContain('INVALID image entry "../x" leads out')
  })
})
