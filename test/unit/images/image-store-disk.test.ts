import { spawnSync } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect } from 'vitest'
import { announcedSize } from '../../../images/src/store/trees/archive-size.ts'
import { requireSpace } from '../../../images/src/fetch/disk-space.ts'
import { serve } from './http-fixture.ts'
import { digestOf, imageFile, namesIn, owned, storeIn } from './image-store-fixture.ts'
import { compress, rootOf } from './tar-fixture.ts'
import { isRoot, test as base } from './temp-folder.ts'

/** `test` with 2 MB for the store. */
const test = base.extend<{ smallDisk: string }>({
  smallDisk: async ({ folder }, use) => {
    mkdirSync(join(folder, 'store'))
    const mounted = spawnSync('mount', ['-t', 'tmpfs', '-o', 'size=2m', 'none', `${folder}/store`])
    expect(mounted.stderr.toString()).toBe('')
    await use(folder)
    spawnSync('umount', ['-l', `${folder}/store`])
  },
})

const tooLarge = (message: RegExp) => ({
  kind: 'IMAGE_TOO_LARGE',
  message: expect.stringMatching(message),
})

describe.skipIf(!isRoot)('a disk that is full (needs root: mounts a small one)', () => {
  test('is not begun with when the size is known', async ({ smallDisk }) => {
    const archive = randomBytes(3_000_000)
    await using server = await serve((_, response) => response.end(archive))
    const reference = { url: server.url, sha256: digestOf(archive) }
    await expect(storeIn(smallDisk).fetch(reference)).rejects.toMatchObject(
      tooLarge(/it needs 3000000 bytes, \d+ are available in /),
    )
    expect(namesIn(smallDisk, 'blobs')).toEqual([])
  })

  test('ends a download whose size nobody told, and nothing is left', async ({ smallDisk }) => {
    const archive = randomBytes(3_000_000)
    await using server = await serve((_, response) => {
      response.setHeader('etag', '"one"')
      response.write(archive.subarray(0, 100))
      response.end(archive.subarray(100))
    })
    const reference = { url: server.url, sha256: digestOf(archive) }
    await expect(storeIn(smallDisk).fetch(reference)).rejects.toMatchObject(
      tooLarge(/the disk with .* is full/),
    )
    expect(namesIn(smallDisk, 'blobs')).toEqual([])
  })

  test('is not unpacked to when the archive says how large it becomes', async ({ smallDisk }) => {
    const tar = rootOf({ name: 'large', body: Buffer.alloc(3_000_000) })
    for (const format of ['tar.xz', 'tar.gz'] as const) {
      const archive = compress(format, tar)
      const path = join(smallDisk, `image.${format}`)
      writeFileSync(path, archive)
      const reference = { url: pathToFileURL(path).href, sha256: digestOf(archive) }
      await expect(storeIn(smallDisk).openTree(reference, owned)).rejects.toMatchObject(
        tooLarge(/it needs 30\d{5} bytes/),
      )
    }
    expect(namesIn(smallDisk, 'trees')).toEqual([])
  })

  test('ends an unpacking, and nothing is left', async ({ smallDisk }) => {
    const archive = compress('tar.zst', rootOf({ name: 'large', body: randomBytes(1_200_000) }))
    const path = join(smallDisk, 'image.tar.zst')
    writeFileSync(path, archive)
    const reference = { url: pathToFileURL(path).href, sha256: digestOf(archive) }
    await expect(storeIn(smallDisk).openTree(reference, owned)).rejects.toMatchObject({
      kind: 'IMAGE_TOO_LARGE',
    })
    expect(namesIn(smallDisk, 'trees')).toEqual([])
  })

  test('has room again after a prune', async ({ smallDisk }) => {
    const store = storeIn(smallDisk)
    const image = (name: string) =>
      imageFile(smallDisk, name, { name: 'x', body: randomBytes(700_000) })
    ;(await store.openTree(image('a'), owned)).release()
    await store.settled()
    await expect(store.openTree(image('b'), owned)).rejects.toMatchObject({
      kind: 'IMAGE_TOO_LARGE',
    })
    await store.prune({ maxBytes: 0 })
    ;(await store.openTree(image('c'), owned)).release()
    await store.settled()
  })
})

describe('announcedSize', () => {
  base.for(['tar', 'tar.gz', 'tar.xz'] as const)('of .%s', async (format, { folder }) => {
    const tar = rootOf({ name: 'large', body: Buffer.alloc(300_000) })
    const path = join(folder, 'archive')
    writeFileSync(path, compress(format, tar))
    expect(await announcedSize(path)).toBe(tar.length)
  })

  base('of an xz file in many blocks', async ({ folder }) => {
    const tar = rootOf({ name: 'large', body: Buffer.alloc(5_000_000) })
    const path = join(folder, 'archive')
    const args = ['-zc', '-1', '-T2', '--block-size=1MiB']
    writeFileSync(path, spawnSync('xz', args, { input: tar, maxBuffer: 1 << 28 }).stdout)
    expect(await announcedSize(path)).toBe(tar.length)
  })

  base('of files that end early or lie is a number all the same', async ({ folder }) => {
    const whole = compress('tar.xz', rootOf())
    const path = join(folder, 'archive')
    for (let length = 0; length < whole.length; length++) {
      writeFileSync(path, whole.subarray(0, length))
      expect(await announcedSize(path)).toBeGreaterThanOrEqual(length)
    }
    for (let position = whole.length - 40; position < whole.length; position++) {
      const changed = Buffer.from(whole)
      changed[position] = 0xff
      writeFileSync(path, changed)
      expect(Number.isFinite(await announcedSize(path))).toBe(true)
    }
  })
})

base('room that nobody has is refused with both figures', async ({ folder }) => {
  const missing = requireSpace(join(folder, 'x'), 2 ** 50, 'the tree')
  await expect(missing).rejects.toMatchObject(
    tooLarge(/for the tree: it needs 1125899906842624 bytes, \d+ are available/),
  )
  await requireSpace(join(folder, 'x'), 1, 'the tree')
})
