/**
 * Damaged archives, read by `bridge-unpack` with the address and the undefined-behaviour sanitizer
 * in it, and by the one that is shipped: both say the same, and nothing else happens.
 */
import { spawnSync } from 'node:child_process'
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { nativePaths } from '@causeway/native'
import fc from 'fast-check'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { checkLines } from '../fuzz/settings.ts'
import {
  base256,
  longLink,
  longName,
  pax,
  rootOf,
  tarOf,
  writeChecksum,
} from '../images/tar-fixture.ts'
import { buildUnpacker } from './program-build.ts'

const isRoot = process.getuid?.() === 0
const identity = isRoot ? ['--uid', '61234', '--gid', '61235'] : []
const folder = mkdtempSync(join(tmpdir(), 'causeway-unpack-fuzz-'))
chmodSync(folder, 0o755)
let sanitized: string

const sanitizers =
  '-O1 -g -fno-omit-frame-pointer -DNO_LANDLOCK -fsanitize=address,undefined -fno-sanitize-recover=all'

beforeAll(async () => {
  sanitized = await buildUnpacker(folder, 'bridge-unpack', sanitizers.split(' '))
}, 120_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

/** Something of everything. */
const seeds = [
  rootOf(
    { name: 'etc/hello', body: 'hello' },
    { name: 'etc/closed/', type: '5', mode: 0o1000 },
    pax({ path: 'etc/long', mtime: '-1.5', size: '5', 'SCHILY.xattr.user.x': 'a\0b' }),
    { name: 'short', body: 'hello' },
    longName('etc/x'),
    longLink('/etc/hello'),
    { name: 'x', type: '1', link: 'y' },
    { name: 'etc/d', type: '2', link: '../etc' },
    { name: 'etc/d/', type: '5' },
    { name: 'etc/d/in', body: 'x'.repeat(1000) },
    { name: 'dev/x', type: '3' },
    { name: 'etc/.wh.x', body: 'x' },
    pax({ comment: 'x' }, 'g'),
  ),
  tarOf([
    { name: 'wrapper/', type: '5' },
    { name: 'wrapper/bin', type: '2', link: '/usr/bin' },
    { name: 'wrapper/usr/bin/x', body: 'x', patch: (block) => base256(block, 136, 12, -7n) },
    { name: 'wrapper/bin/y', type: '1', link: 'wrapper/bin/x' },
    { name: 'wrapper/usr/bin/x', type: '2', link: 'y' },
    { name: 'beside', body: 'x' },
  ]),
]

/** One change to an archive: bytes, or whole blocks moved about. */
const change = fc.oneof(
  fc.record({ kind: fc.constant('byte'), at: fc.nat(), value: fc.nat(255) }),
  fc.record({ kind: fc.constant('digit'), at: fc.nat(), value: fc.integer({ min: 48, max: 57 }) }),
  fc.record({ kind: fc.constant('copy'), at: fc.nat(), value: fc.nat() }),
  fc.record({ kind: fc.constant('cut'), at: fc.nat(), value: fc.nat(3) }),
)

const damaged = fc.record({
  seed: fc.nat(seeds.length - 1),
  changes: fc.array(change, { minLength: 1, maxLength: 6 }),
  repairs: fc.boolean(),
})

type Change = typeof change extends fc.Arbitrary<infer T> ? T : never

function apply(archive: Buffer, { kind, at, value }: Change): Buffer {
  const blocks = Math.max(1, archive.length / 512)
  const start = 512 * (at % blocks)
  if (kind === 'copy') {
    archive.copy(archive, start, 512 * (value % blocks), 512 * (value % blocks) + 512)
  } else if (kind === 'cut') {
    return Buffer.concat([archive.subarray(0, start), archive.subarray(start + 512 * value)])
  } else archive[at % archive.length] = value
  return archive
}

/** Makes checksums right again, so that the damage reaches what is behind them. */
function repair(archive: Buffer): void {
  for (let at = 0; at + 512 <= archive.length; at += 512) {
    const block = archive.subarray(at, at + 512)
    if (block.toString('latin1', 257, 262) === 'ustar') writeChecksum(block)
  }
}

function damage({
  seed,
  changes,
  repairs,
}: typeof damaged extends fc.Arbitrary<infer T> ? T : never) {
  const archive = changes.reduce(apply, Buffer.from(seeds[seed]!))
  if (repairs) repair(archive)
  return archive
}

function run(program: string, input: Buffer) {
  const cwd = join(folder, 'staging')
  mkdirSync(cwd, { mode: 0o700 })
  if (isRoot) chownSync(cwd, 61_234, 61_235)
  const env = { ASAN_OPTIONS: 'detect_leaks=0' }
  const limits = ['--max-bytes', '1000000', '--max-entries', '1000']
  const options = { cwd, input, env, encoding: 'utf8' } as const
  const { status, signal, stdout, stderr } = spawnSync(program, [...identity, ...limits], options)
  // Without root a closed folder must be opened first.
  if (!isRoot) spawnSync('chmod', ['-R', 'u+rwx', cwd])
  rmSync(cwd, { recursive: true, force: true })
  return { status, signal, stdout, stderr }
}

test('say the same in both, and only what they may', { timeout: 3_600_000 }, async () => {
  await checkLines(damaged, 0.0025, async (value) => {
    const archive = damage(value)
    const shipped = run(nativePaths.unpacker, archive)
    const checked = run(sanitized, archive)
    expect(checked).toEqual(shipped)
    expect([0, 1]).toContain(shipped.status)
    expect(shipped.stderr).toMatch(/^$|^(INVALID|TOO_LARGE) [\x20-\x7e]+\n$/)
    expect(readdirSync(folder)).toEqual(['bridge-unpack'])
    await Promise.resolve()
  })
})

test('bytes of no kind at all', { timeout: 3_600_000 }, async () => {
  await checkLines(fc.uint8Array({ maxLength: 3000 }), 0.0005, async (bytes) => {
    const noise = run(sanitized, Buffer.from(bytes))
    expect(noise.stderr).toMatch(/^INVALID [\x20-\x7e]+\n$/)
    await Promise.resolve()
  })
})
