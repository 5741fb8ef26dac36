import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { basename, join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ImageReference, ImageStore } from '../../../images/src/index.ts'
import { imageFile, namesIn, otherProcess, owned, storeIn } from './image-store-fixture.ts'
import { test } from './temp-folder.ts'

const all = { maxBytes: 0 }

/** Opens and releases, as if that were `minutes` ago. */
async function useOnce(store: ImageStore, reference: ImageReference, minutes: number) {
  const { path, image, release } = await store.openTree(reference, owned)
  release()
  await store.settled()
  const then = Date.now() / 1000 - minutes * 60
  for (const file of [join(path, '../meta.json'), image.path]) utimesSync(file, then, then)
}

describe('prune', () => {
  test('takes the image used longest ago first, until it is small enough', async ({ folder }) => {
    const store = storeIn(folder)
    const references = ['a', 'b', 'c'].map((name) =>
      imageFile(folder, name, { name: 'etc/large', body: Buffer.alloc(50_000) }),
    )
    const [a, b, c] = references as [ImageReference, ImageReference, ImageReference]
    await useOnce(store, a, 20)
    await useOnce(store, b, 30)
    await useOnce(store, c, 10)
    const listed = await store.list()
    expect(listed.map(({ sha256 }) => sha256)).toEqual([c, a, b].map(({ sha256 }) => sha256))
    const total = listed.reduce((sum, { diskBytes }) => sum + diskBytes, 0)
    const pruned = await store.prune({ maxBytes: total - 1 })
    expect(pruned.removed.map(({ sha256 }) => sha256)).toEqual([b.sha256])
    expect(pruned).toMatchObject({ freedBytes: listed[2]?.diskBytes, inUse: [] })
    expect(pruned.leftBytes).toBe(total - pruned.freedBytes)
    expect((await store.list()).map(({ sha256 }) => sha256)).toEqual([c.sha256, a.sha256])
  })

  test('removes archive, record, part and trees', async ({ folder }) => {
    const store = storeIn(folder)
    await useOnce(store, imageFile(folder, 'a'), 0)
    await store.prune(all)
    expect(namesIn(folder, 'blobs')).toEqual([])
    expect(namesIn(folder, 'trees')).toEqual([])
  })

  test('counts what is on the disk', async ({ folder }) => {
    const store = storeIn(folder)
    const body = Buffer.alloc(300_000, 'x')
    const entries = [
      { name: 'etc/large', body },
      { name: 'etc/again', type: '1', link: 'etc/large' },
    ]
    await useOnce(store, imageFile(folder, 'a', ...entries), 0)
    const [image] = await store.list()
    const tree = image?.trees[0]
    // One file under two names is there once.
    expect(tree?.diskBytes).toBeGreaterThanOrEqual(300_000)
    expect(tree?.diskBytes).toBeLessThan(400_000)
    const archive = statSync(image?.archive?.path ?? '')
    expect(image?.diskBytes).toBe((tree?.diskBytes ?? 0) + archive.blocks * 512)
  })

  test('leaves what was used lately', async ({ folder }) => {
    const store = storeIn(folder)
    const [young, old] = [imageFile(folder, 'young'), imageFile(folder, 'old')]
    await useOnce(store, young, 5)
    await useOnce(store, old, 15)
    const { removed } = await store.prune({ ...all, minAgeMs: 10 * 60_000 })
    expect(removed.map(({ sha256 }) => sha256)).toEqual([old.sha256])
  })

  test('never takes what is held here, until it is released', async ({ folder }) => {
    const reference = imageFile(folder, 'a')
    const store = storeIn(folder)
    const tree = await store.openTree(reference, owned)
    expect(await store.list()).toMatchObject([{ inUse: true }])
    expect(await store.prune(all)).toMatchObject({ removed: [], inUse: [reference.sha256] })
    await expect(store.remove([reference.sha256])).rejects.toMatchObject({ kind: 'IMAGE_IN_USE' })
    expect(existsSync(join(tree.path, 'etc/name'))).toBe(true)
    tree.release()
    tree.release()
    expect((await store.prune(all)).removed).toHaveLength(1)
  })

  test('never takes what another process holds, until it dies', async ({ folder }) => {
    const reference = imageFile(folder, 'a')
    await using other = otherProcess(folder, 'open-tree', reference)
    while (!(await other.line()).startsWith('done'));
    const store = storeIn(folder)
    expect(await store.list()).toMatchObject([{ inUse: true }])
    expect(await store.prune(all)).toMatchObject({ removed: [], inUse: [reference.sha256] })
    await other.kill()
    expect((await store.prune(all)).removed).toHaveLength(1)
  })

  test('a tree that was released twice does not give back another one’s lock', async ({
    folder,
  }) => {
    const [a, b] = [imageFile(folder, 'a'), imageFile(folder, 'b')]
    const store = storeIn(folder)
    const first = await store.openTree(a, owned)
    first.release()
    const second = await store.openTree(b, owned)
    first.release()
    expect((await store.prune(all)).inUse).toEqual([b.sha256])
    second.release()
  })

  test('is done when a new image makes the store too large', async ({ folder }) => {
    const [a, b] = [imageFile(folder, 'a'), imageFile(folder, 'b')]
    const store = storeIn(folder, { maxCacheBytes: 1 })
    const first = await store.openTree(a, owned)
    await store.settled()
    expect(await store.list()).toHaveLength(1)
    first.release()
    const second = await store.openTree(b, owned)
    await store.settled()
    expect((await store.list()).map(({ sha256 }) => sha256)).toEqual([b.sha256])
    second.release()
  })
})

describe('the archives that were built here', () => {
  /** Two archives: one with its receipt, one whose receipt is gone; and a receipt alone. */
  function buildIn(folder: string): string {
    const recipes = join(folder, 'store/recipes')
    mkdirSync(recipes, { recursive: true })
    const { url, sha256 } = imageFile(folder, 'built')
    copyFileSync(new URL(url), join(recipes, 'a.tar.xz'))
    writeFileSync(join(recipes, 'a.tar.xz.json'), JSON.stringify({ sha256 }))
    writeFileSync(join(recipes, 'b.tar.xz'), Buffer.alloc(50_000))
    writeFileSync(join(recipes, 'c.tar.xz.json'), '{}')
    return sha256
  }

  test('are pruned only on request, and always counted', async ({ folder }) => {
    buildIn(folder)
    const store = storeIn(folder)
    const built = await store.listBuilt()
    const bytes = built.reduce((sum, { diskBytes }) => sum + diskBytes, 0)
    expect(bytes).toBeGreaterThan(50_000)
    expect(await store.prune(all)).toMatchObject({ built: [], freedBytes: 0, leftBytes: bytes })
    const young = { ...all, built: true, minAgeMs: 60_000 }
    expect(await store.prune(young)).toMatchObject({ built: [], leftBytes: bytes })
    const pruned = await store.prune({ ...all, built: true })
    expect(pruned.built.map(({ path }) => basename(path)).toSorted()).toEqual([
      'a.tar.xz',
      'b.tar.xz',
      'c.tar.xz',
    ])
    expect(pruned).toMatchObject({ freedBytes: bytes, leftBytes: 0 })
    expect(readdirSync(join(folder, 'store/recipes'))).toEqual([])
  })

  test('stay while a job uses the image, and while they are being built', async ({ folder }) => {
    const sha256 = buildIn(folder)
    const recipes = join(folder, 'store/recipes')
    mkdirSync(join(recipes, 'd.tar.xz.01.staging'))
    const store = storeIn(folder)
    const tree = await store.openTree({ url: 'file:///nothing', sha256 }, owned)
    const { built, inUse } = await store.prune({ ...all, built: true })
    expect([built.length, inUse]).toEqual([2, [sha256]])
    expect(readdirSync(recipes).toSorted()).toEqual([
      'a.tar.xz',
      'a.tar.xz.json',
      'd.tar.xz.01.staging',
    ])
    tree.release()
  })
})

describe('remove', () => {
  test('takes the images of these prefixes', async ({ folder }) => {
    const [a, b] = [imageFile(folder, 'a'), imageFile(folder, 'b')]
    const store = storeIn(folder)
    for (const reference of [a, b]) await useOnce(store, reference, 0)
    const { removed } = await store.remove([a.sha256.slice(0, 12).toUpperCase()])
    expect(removed.map(({ sha256 }) => sha256)).toEqual([a.sha256])
    expect((await store.list()).map(({ sha256 }) => sha256)).toEqual([b.sha256])
  })

  test.for([
    ['ffff', 'no image begins with ffff; found: '],
    ['', 'expected hex digits of an image\'s sha256, found ""'],
    ['nothex', 'expected hex digits'],
  ])('names what was found for %j', async ([prefix, message], { folder }) => {
    const store = storeIn(folder)
    const reference = imageFile(folder, 'a')
    await useOnce(store, reference, 0)
    await expect(store.inspect(prefix ?? '')).rejects.toMatchObject({
      kind: 'IMAGE_NOT_FOUND',
      message: expect.stringContaining(message ?? ''),
    })
    expect(await store.list()).toHaveLength(1)
  })

  test('a prefix of two images is refused before anything is removed', async ({ folder }) => {
    const store = storeIn(folder)
    const seen = new Map<string, ImageReference>()
    for (let index = 0; ; index++) {
      const reference = imageFile(folder, `image-${index}`)
      await store.fetch(reference)
      const digit = reference.sha256.slice(0, 1)
      const other = seen.get(digit)
      seen.set(digit, reference)
      if (other === undefined) continue
      await expect(store.remove([digit])).rejects.toMatchObject({
        kind: 'IMAGE_NOT_FOUND',
        message: expect.stringMatching(`${other.sha256.slice(0, 16)}|more than one`),
      })
      expect(await store.list()).toHaveLength(index + 1)
      return
    }
  })
})

test('an empty store is listed, pruned and verified', async ({ folder }) => {
  const store = storeIn(folder)
  expect(await store.list()).toEqual([])
  expect(await store.verify()).toEqual([])
  expect(await store.listBuilt()).toEqual([])
  expect(await store.prune({ ...all, built: true })).toEqual({
    removed: [],
    built: [],
    freedBytes: 0,
    leftBytes: 0,
    inUse: [],
  })
  await expect(store.inspect('a')).rejects.toThrow('no image begins with a; found: none at all')
  expect(readdirSync(join(folder, 'store')).toSorted()).toEqual(['blobs', 'locks', 'trees'])
})
