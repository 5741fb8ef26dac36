/**
 * Attacks on sizes: each stops at its limit, and what it wrote until then is removed.
 */
import { spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { describe, expect } from 'vitest'
import { base256, compress, pax, rootOf, tarOf, type Entry } from './tar-fixture.ts'
import { isRoot, test } from './temp-folder.ts'
import { expectRefused, hello, noise, unpack } from './unpack-fixture.ts'

const tooLarge = { kind: 'IMAGE_TOO_LARGE' } as const
const megabyte = 1 << 20

/** Four GiB of zeros in a file, as gzip in many members: 4 MB. */
function zerosOf4GiB(): Buffer {
  const member = gzipSync(Buffer.alloc(64 * megabyte), { level: 1 })
  const begin = rootOf({ name: 'etc/zeros', size: 2 ** 32 }).subarray(0, -1024)
  return Buffer.concat([gzipSync(begin), ...Array.from({ length: 64 }, () => member)])
}

/** As xz wants it; gzip ends with that of its content. */
function crc32(bytes: Buffer): number {
  return gzipSync(bytes).readUInt32LE(gzipSync(bytes).length - 8)
}

/** What is on the disk at most while the archive is unpacked and refused, in bytes. */
async function mostWritten(folder: string, work: () => Promise<unknown>): Promise<number> {
  let most = 0
  const timer = setInterval(() => {
    const used = spawnSync('du', ['-sB1', '--exclude=archive', folder], { encoding: 'utf8' })
    most = Math.max(most, Number.parseInt(used.stdout, 10) || 0)
  }, 20)
  try {
    await work()
  } finally {
    clearInterval(timer)
  }
  return most
}

describe('content', () => {
  test('4 GiB of zeros in a few megabytes of gzip', async ({ folder }) => {
    const bomb = zerosOf4GiB()
    const most = await mostWritten(folder, () =>
      expectRefused(folder, bomb, 'over 8388608 bytes', { ...tooLarge, maxBytes: 8 * megabyte }),
    )
    expect(most).toBeLessThan(10 * megabyte)
  })

  test.for(['tar.gz', 'tar.xz', 'tar.zst'] as const)(
    'many files, each within the limit, as %s',
    async (format, { folder }) => {
      const body = Buffer.alloc(megabyte)
      const files = Array.from({ length: 64 }, (_, n) => ({ name: `etc/${n}`, body }))
      const bomb = compress(format, rootOf(...files))
      const most = await mostWritten(folder, () =>
        expectRefused(folder, bomb, 'over 8388608 bytes', { ...tooLarge, maxBytes: 8 * megabyte }),
      )
      expect(most).toBeLessThan(10 * megabyte)
    },
  )

  test('after the end mark', async ({ folder }) => {
    const bomb = gzipSync(Buffer.concat([rootOf(hello), Buffer.alloc(64 * megabyte)]))
    const options = { ...tooLarge, maxBytes: megabyte }
    await expectRefused(folder, bomb, 'over 1048576 bytes', options)
  })

  test.for<[string, Entry]>([
    ['octal', { name: 'etc/x', size: 2 ** 32 }],
    ['binary', { name: 'etc/x', patch: (header) => base256(header, 124, 12, 2n ** 50n) }],
  ])('a size that only says so, %s, is refused unread', async ([, entry], { folder }) => {
    const archive = rootOf(entry)
    const failure = unpack(folder, archive, { maxBytes: megabyte })
    await expect(failure).rejects.toMatchObject(tooLarge)
    await expect(failure).rejects.toThrow('"etc/x" says it has')
  })

  test('a pax size that only says so', async ({ folder }) => {
    const archive = rootOf(pax({ size: '9000000000000000' }), hello)
    await expectRefused(folder, archive, '"etc/hello" says it has 9000000000000000', tooLarge)
  })

  test('sparse files of 8 TB', async ({ folder }) => {
    const sparse = pax({
      'GNU.sparse.major': '1',
      'GNU.sparse.minor': '0',
      'GNU.sparse.name': 'etc/big',
      'GNU.sparse.realsize': '8000000000000',
    })
    await expectRefused(folder, rootOf(sparse, hello), 'sparse')
  })
})

describe('entries', () => {
  const links = (count: number): Entry[] =>
    Array.from({ length: count }, (_, n) => ({ name: `etc/${n}`, type: '2', link: 'x' }))

  test('20,000 symbolic links', async ({ folder }) => {
    const bomb = gzipSync(tarOf(links(20_000)), { level: 1 })
    const options = { ...tooLarge, maxEntries: 10_000 }
    await expectRefused(folder, bomb, 'more than 10000 entries', options)
  })

  test('exactly as many as allowed', async ({ folder }) => {
    const { entries } = await unpack(folder, rootOf(...links(100)), { maxEntries: 102 })
    expect(entries).toBe(102)
    expect(readdirSync(join(folder, 'root/etc')).length).toBe(100)
  })

  test('headers that say nothing count, too', async ({ folder }) => {
    const comments = Array.from({ length: 50 }, () => pax({ comment: 'x' }, 'g'))
    const options = { ...tooLarge, maxEntries: 40 }
    await expectRefused(folder, rootOf(...comments), 'more than 40 entries', options)
  })
})

describe('memory', () => {
  test('an xz whose dictionary is over the limit', async ({ folder }) => {
    const archive = compress('tar.xz', rootOf(hello))
    // The properties of LZMA2 in the block header, which ends with a checksum over itself.
    const blockHeader = archive.subarray(12, 12 + (archive[12]! + 1) * 4)
    const properties = blockHeader.indexOf(Buffer.from([0x21, 0x01])) + 2
    blockHeader[properties] = 40 // 4 GiB
    blockHeader.writeUInt32LE(crc32(blockHeader.subarray(0, -4)), blockHeader.length - 4)
    await expectRefused(folder, archive, 'xz: (stdin): Memory usage limit reached')
  })

  test('a zstd whose window is over the limit', async ({ folder }) => {
    const archive = compress('tar.zst', rootOf({ name: 'etc/noise', body: noise(300_000) }))
    const descriptor = archive[4]!
    expect(descriptor & 0x20).toBe(0) // so a window descriptor follows
    archive[5] = 21 << 3 // 2 GiB
    await expectRefused(folder, archive, /zstd: .* Frame requires too much memory/)
  })

  test('5,000 folders', { timeout: 60_000 }, async ({ folder }) => {
    const folders = Array.from({ length: 5_000 }, (_, n) => ({ name: `etc/${n}/`, type: '5' }))
    const { entries } = await unpack(folder, rootOf(...folders))
    expect(entries).toBe(5_002)
  })
})

test.skipIf(!isRoot)('a full disk (needs root: mounts a small one)', async ({ folder }) => {
  const disk = join(folder, 'disk')
  mkdirSync(disk)
  expect(spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=512k', 'tmpfs', disk]).status).toBe(0)
  try {
    const archive = gzipSync(rootOf({ name: 'etc/zeros', body: Buffer.alloc(megabyte) }))
    await expectRefused(disk, archive, 'the disk is full: "etc/zeros"', tooLarge)
  } finally {
    spawnSync('umount', ['-l', disk])
  }
})
