import { spawnSync } from 'node:child_process'
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  readlinkSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import {
  ImageError,
  unpackImage,
  type ImageProgress,
  type UnpackOptions,
} from '../../../images/src/index.ts'
import { compress, longName, pax, rootOf, tarOf, type Entry } from './tar-fixture.ts'
import { isRoot, needsRoot, test } from './temp-folder.ts'

const guest = { uid: 61_234, gid: 61_235 }
const formats = ['tar', 'tar.gz', 'tar.xz', 'tar.zst'] as const
const hello: Entry = { name: 'etc/hello', body: 'hello\n' }

function unpack(folder: string, archive: Buffer, options: UnpackOptions = {}) {
  writeFileSync(join(folder, 'archive'), archive)
  return unpackImage(join(folder, 'archive'), join(folder, 'root'), options)
}

/** The test's folder holds the archive and, after a success, the root; never a staging folder. */
function leftovers(folder: string): string[] {
  return readdirSync(folder).filter((name) => name !== 'archive' && name !== 'root')
}

async function expectInvalid(folder: string, archive: Buffer, message: RegExp | string) {
  const failure = unpack(folder, archive)
  await expect(failure).rejects.toMatchObject({ kind: 'IMAGE_ARCHIVE_INVALID' })
  await expect(failure).rejects.toThrow(message)
  await expect(failure).rejects.not.toThrow(folder)
  expect(readdirSync(folder)).toEqual(['archive'])
}

/** Random enough that every compressed byte counts. */
function noise(length: number): Buffer {
  const bytes = Buffer.alloc(length)
  for (let at = 0, state = 1; at < length; at++) {
    state = (state * 48_271) % 0x7fffffff
    bytes[at] = state & 0xff
  }
  return bytes
}

describe('formats', () => {
  test.for(formats)('%s', async (format, { folder }) => {
    const tar = rootOf(hello, { name: 'bin/sh', type: '2', link: '/usr/bin/sh' })
    const seen: ImageProgress[] = []
    const archive = compress(format, tar)
    const result = await unpack(folder, archive, { onProgress: (progress) => seen.push(progress) })
    expect(result).toEqual({ bytes: tar.length })
    expect(readFileSync(join(folder, 'root/etc/hello'), 'utf8')).toBe('hello\n')
    expect(readlinkSync(join(folder, 'root/bin/sh'))).toBe('/usr/bin/sh')
    expect(seen.at(-1)).toEqual({
      phase: 'unpack',
      bytes: archive.length,
      totalBytes: archive.length,
    })
    expect(leftovers(folder)).toEqual([])
  })

  test.for<[string, Buffer, string]>([
    ['an empty file', Buffer.alloc(0), 'an empty file'],
    ['a web page', Buffer.from('<!doctype html><p>404'), 'a web page'],
    ['bzip2', Buffer.from('BZh91AY'), 'a bzip2 file'],
    ['a zip', Buffer.from('PK\x03\x04'), 'a zip file'],
    ['garbage', noise(5000), 'of no known format'],
    ['zeros', Buffer.alloc(4096), 'of no known format'],
    ['an empty tar', gzipSync(Buffer.alloc(10_240)), 'not a root file system: found nothing'],
    ['gzip of garbage', gzipSync(noise(5000)), 'bad tar header'],
    ['no root', tarOf([{ name: 'a', body: 'x' }]), 'found a; expected bin, usr or etc'],
  ])('%s is refused', async ([, archive, message], { folder }) => {
    await expectInvalid(folder, archive, message)
  })

  test.for(formats)('%s cut off anywhere is refused', async (format, { folder }) => {
    const archive = compress(format, rootOf({ name: 'etc/noise', body: noise(100_000) }))
    const end = format === 'tar' ? archive.length - 1024 : archive.length - 1
    for (const length of [7, 600, 20_000, 65_536, 100_000, end]) {
      const cut = archive.subarray(0, Math.min(length, end))
      await expectInvalid(folder, cut, /cut off|[Uu]nexpected end|premature|no known format/)
    }
  })

  test.for(formats)('%s with a flipped byte fails or unpacks', async (format, { folder }) => {
    const archive = compress(format, rootOf({ name: 'etc/noise', body: noise(50_000) }))
    archive[archive.length >> 1] = (archive[archive.length >> 1] ?? 0) ^ 0xff
    // Plain tar has no checksum over bodies; the image's digest has caught this before.
    if (format === 'tar') await unpack(folder, archive)
    else await expectInvalid(folder, archive, /cannot be unpacked|damaged/)
    expect(leftovers(folder)).toEqual([])
  })

  test('xz followed by garbage is refused', async ({ folder }) => {
    const archive = Buffer.concat([compress('tar.xz', rootOf(hello)), Buffer.from('garbage')])
    await expectInvalid(folder, archive, 'xz')
  })
})

describe('the root', () => {
  test('a single wrapper folder is stripped', async ({ folder }) => {
    const inside = [{ name: 'debian/etc/hello', body: 'hello\n' }]
    await unpack(folder, tarOf([{ name: 'debian/', type: '5', mode: 0o500 }, ...inside]))
    expect(readdirSync(join(folder, 'root'))).toEqual(['etc'])
    expect(statSync(join(folder, 'root')).mode & 0o777).toBe(0o755)
    expect(leftovers(folder)).toEqual([])
  })

  test('a single folder that is a root name is not', async ({ folder }) => {
    await unpack(folder, tarOf([{ name: 'usr/bin/x', body: 'x' }]))
    expect(readdirSync(join(folder, 'root'))).toEqual(['usr'])
  })

  test('a closed mode of the root is repaired', async ({ folder }) => {
    await unpack(folder, rootOf({ name: './', type: '5', mode: 0o500 }))
    expect(statSync(join(folder, 'root')).mode & 0o777).toBe(0o755)
  })

  test('an existing target is not touched', async ({ folder }) => {
    mkdirSync(join(folder, 'root'))
    await expect(unpack(folder, rootOf(hello))).rejects.toMatchObject({ code: 'EEXIST' })
    expect(readdirSync(join(folder, 'root'))).toEqual([])
  })

  test.for(isRoot ? [{}, guest] : [{}])('keeps modes and times as %o', async (who, { folder }) => {
    await unpack(
      folder,
      rootOf(
        { name: 'bin/su', body: 'x', mode: 0o6755 },
        { name: 'etc/secret', body: 'x', mode: 0o640 },
        { name: 'tmp/', type: '5', mode: 0o1777 },
        { name: 'etc/closed/', type: '5', mode: 0o500 },
        { name: 'etc/other', body: 'x' },
        { name: 'etc/closed/file', body: 'x' },
      ),
      who,
    )
    const mode = (name: string) => statSync(join(folder, 'root', name)).mode & 0o7777
    expect(['bin/su', 'etc/secret', 'tmp', 'etc/closed'].map(mode)).toEqual([
      0o755, 0o640, 0o1777, 0o500,
    ])
    expect(statSync(join(folder, 'root/bin/su')).mtimeMs).toBe(1_600_000_000_000)
  })

  test('devices and fifos are skipped', async ({ folder }) => {
    const devices = ['3', '4', '6'].map((type) => ({ name: `dev/${type}`, type }))
    await unpack(folder, rootOf({ name: 'dev/', type: '5' }, ...devices, hello))
    expect(readdirSync(join(folder, 'root/dev'))).toEqual([])
  })

  test.skipIf(!isRoot)(`belongs to the guest (${needsRoot})`, async ({ folder }) => {
    mkdirSync(join(folder, 'closed'), { mode: 0o700 })
    writeFileSync(join(folder, 'archive'), rootOf(hello, { name: 'etc/x', type: '2', link: 'y' }))
    await unpackImage(join(folder, 'archive'), join(folder, 'closed/root'), guest)
    for (const name of ['', 'etc', 'etc/hello', 'etc/x', 'bin']) {
      expect(lstatSync(join(folder, 'closed/root', name))).toMatchObject(guest)
    }
  })
})

describe('limits', () => {
  test.for(['tar.gz', 'tar.xz', 'tar.zst'] as const)(
    'a %s bomb stops at the limit',
    async (format, { folder }) => {
      const bomb = compress(format, rootOf({ name: 'etc/zeros', body: Buffer.alloc(64 << 20) }))
      const failure = unpack(folder, bomb, { maxBytes: 1 << 20 })
      await expect(failure).rejects.toMatchObject({
        kind: 'IMAGE_TOO_LARGE',
        message: expect.stringContaining('1048576'),
      })
      expect(readdirSync(folder)).toEqual(['archive'])
    },
  )

  test('exactly the limit is allowed', async ({ folder }) => {
    const tar = rootOf(hello)
    await unpack(folder, tar, { maxBytes: tar.length })
  })

  test('an abort leaves nothing and keeps its reason', async ({ folder }) => {
    const controller = new AbortController()
    const archive = rootOf({ name: 'etc/noise', body: noise(4 << 20) })
    const failure = unpack(folder, archive, {
      signal: controller.signal,
      onProgress: () => controller.abort(new Error('enough')),
    })
    await expect(failure).rejects.toThrow('enough')
    expect(readdirSync(folder)).toEqual(['archive'])
    await expect(unpack(folder, archive, { signal: controller.signal })).rejects.toThrow('enough')
  })

  test.skipIf(!isRoot)(`closed folders are removed too (${needsRoot})`, async ({ folder }) => {
    const archive = rootOf(
      { name: 'etc/closed/', type: '5', mode: 0 },
      { name: 'etc/closed/in/', type: '5', mode: 0 },
      { name: 'bad', type: 'M' },
    )
    writeFileSync(join(folder, 'archive'), archive)
    await expect(unpackImage(join(folder, 'archive'), join(folder, 'root'), guest)).rejects.toThrow(
      'unknown type',
    )
    expect(readdirSync(folder)).toEqual(['archive'])
  })
})

/** Archives that try to reach what is outside; `OUT` stands for its path. */
const attacks: readonly (readonly [string, readonly Entry[]])[] = [
  ['a member with ..', [{ name: '../outside/new', body: 'x' }]],
  ['an absolute member', [{ name: 'OUT/new', body: 'x' }]],
  [
    'a write through an absolute symlink',
    [
      { name: 'etc/out', type: '2', link: 'OUT' },
      { name: 'etc/out/new', body: 'x' },
    ],
  ],
  [
    'a write through a relative symlink',
    [
      { name: 'etc/out', type: '2', link: '../../outside' },
      { name: 'etc/out/new', body: 'x' },
    ],
  ],
  [
    'a hard link to an outside file, then a file of that name',
    [
      { name: 'etc/h', type: '1', link: 'OUT/secret' },
      { name: 'etc/h', body: 'overwritten' },
    ],
  ],
  [
    'a hard link through a symlink, then a file of that name',
    [
      { name: 'etc/out', type: '2', link: 'OUT' },
      { name: 'etc/h', type: '1', link: 'etc/out/secret' },
      { name: 'etc/h', body: 'overwritten' },
    ],
  ],
  [
    'a chain of links that climbs',
    [
      { name: 'a/b/c/', type: '5' },
      { name: 'a/b/c/up', type: '2', link: '../..' },
      { name: 'a/b/escape', type: '2', link: 'c/up/../..' },
      { name: 'etc/h', type: '1', link: 'a/b/escape/outside/secret' },
      { name: 'etc/h', body: 'overwritten' },
    ],
  ],
  [
    'a folder replaced by a symlink',
    [
      { name: 'etc/d/', type: '5' },
      { name: 'etc/d', type: '2', link: 'OUT' },
      { name: 'etc/d/new', body: 'x' },
    ],
  ],
  [
    'a file over a symlink to a file',
    [
      { name: 'etc/f', type: '2', link: 'OUT/secret' },
      { name: 'etc/f', body: 'overwritten' },
    ],
  ],
  [
    'a folder entry over a symlink, chmod through it',
    [
      { name: 'etc/d', type: '2', link: 'OUT' },
      { name: 'etc/d/', type: '5', mode: 0o777 },
    ],
  ],
  [
    'a deferred chmod of a folder that became a symlink',
    [
      { name: 'etc/d/', type: '5', mode: 0o777 },
      { name: 'etc/d/', type: '2', link: 'OUT' },
    ],
  ],
  ['a pax path that climbs', [pax({ path: '../outside/new' }), hello]],
  ['a long name that climbs', [longName('../outside/new'), hello]],
  [
    'a pax link that climbs',
    [
      pax({ linkpath: '../outside/secret' }),
      { name: 'etc/h', type: '1', link: 'etc/hello' },
      { name: 'etc/h', body: 'overwritten' },
    ],
  ],
  [
    'a symlink loop written through',
    [
      { name: 'etc/l1', type: '2', link: 'l2' },
      { name: 'etc/l2', type: '2', link: 'l1' },
      { name: 'etc/l1/x', body: 'x' },
    ],
  ],
  [
    'etc as a symlink outside',
    [
      { name: 'etc', type: '2', link: 'OUT' },
      { name: 'etc/resolv.conf', body: 'x' },
    ],
  ],
  [
    'a body that hides a device from us',
    [{ name: 'etc/x/', body: tarOf([{ name: 'etc/null', type: '3' }]).subarray(0, 512) }],
  ],
  ['a very deep path', [longName('d/'.repeat(3000)), hello]],
]

describe('attacks', () => {
  for (const user of isRoot ? [undefined, guest] : [undefined]) {
    const as = user === undefined ? 'ourselves' : 'the guest'
    test.for(attacks)(`as ${as}: %s`, async ([, entries], { folder }) => {
      const outside = join(folder, 'outside')
      mkdirSync(outside, { mode: 0o700 })
      writeFileSync(join(outside, 'secret'), 'untouched')
      const absolute = (text = '') => text.replace('OUT', outside)
      const archive = rootOf(
        ...entries.map((entry) => ({
          ...entry,
          name: absolute(entry.name),
          link: absolute(entry.link),
        })),
      )
      const error: unknown = await unpack(folder, archive, user).then(
        () => undefined,
        (reason: unknown) => reason,
      )
      // Either it is refused as a whole, or what it says is harmless inside the root.
      const kind = error instanceof ImageError ? error.kind : error
      expect([undefined, 'IMAGE_ARCHIVE_INVALID']).toContain(kind)
      expect(existsSync(join(folder, 'root'))).toBe(error === undefined)
      expect(readdirSync(outside)).toEqual(['secret'])
      expect(readFileSync(join(outside, 'secret'), 'utf8')).toBe('untouched')
      expect(statSync(join(outside, 'secret')).nlink).toBe(1)
      expect(statSync(outside).mode & 0o777).toBe(0o700)
      expect(leftovers(folder)).toEqual(['outside'])
      const found = spawnSync('find', [folder, '(', '-type', 'b', '-o', '-type', 'c', ')'])
      expect(found.stdout.toString()).toBe('')
    })
  }
})
