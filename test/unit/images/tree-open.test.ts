import {
  chmodSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ImageProgress } from '../../../images/src/index.ts'
import { treeVersion } from '../../../images/src/store/layout.ts'
import { imageFile, namesIn, otherProcess, owned, owner, storeIn } from './image-store-fixture.ts'
import { isRoot, needsRoot, test } from './temp-folder.ts'

const uid = owner?.uid ?? process.getuid?.() ?? 0

describe('openTree', () => {
  test('unpacks once, then shares', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const store = storeIn(folder)
    const seen: ImageProgress[] = []
    const onProgress = (progress: ImageProgress) => void seen.push(progress)
    const first = await store.openTree(reference, { ...owned, onProgress })
    expect(first).toMatchObject({ sha256: reference.sha256, entries: 3, fromCache: false })
    expect(first.image).toMatchObject({ sha256: reference.sha256, fromCache: false })
    expect(readFileSync(join(first.path, 'etc/name'), 'utf8')).toBe('one')
    expect(seen.map(({ phase }) => phase)).toEqual(expect.arrayContaining(['download', 'unpack']))
    expect(seen.at(-1)).toMatchObject({ phase: 'unpack', entries: 3 })
    const inode = statSync(first.path).ino
    const second = await storeIn(folder).openTree(reference, owned)
    expect(second).toMatchObject({ path: first.path, bytes: first.bytes, fromCache: true })
    expect(second.image).toEqual({ ...first.image, fromCache: true })
    expect(statSync(second.path).ino).toBe(inode)
    for (const tree of [first, second]) tree.release()
    await store.settled()
  })

  test('needs no archive once the tree is there', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const store = storeIn(folder)
    const { image, release } = await store.openTree(reference, owned)
    release()
    rmSync(image.path)
    rmSync(join(folder, 'one.tar'))
    const again = await store.openTree(reference, owned)
    expect(again.fromCache).toBe(true)
    again.release()
  })

  test('is closed to everybody else', async ({ folder }) => {
    const { release } = await storeIn(folder).openTree(imageFile(folder, 'one'), owned)
    for (const name of ['', 'blobs', 'trees', 'locks']) {
      expect(statSync(join(folder, 'store', name)).mode & 0o777).toBe(0o700)
    }
    release()
  })

  test('needs no permission for the URL of a tree that is there', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const closed = storeIn(folder, { allowLocal: false })
    await expect(closed.openTree(reference, owned)).rejects.toMatchObject({
      kind: 'IMAGE_URL_REFUSED',
    })
    ;(await closed.openTree(reference, { ...owned, allowLocal: true })).release()
    const opened = await closed.openTree(reference, owned)
    expect(opened.fromCache).toBe(true)
    opened.release()
  })

  test.skipIf(!isRoot)(`makes a tree for each owner (${needsRoot})`, async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const store = storeIn(folder)
    const ours = await store.openTree(reference, owned)
    const theirs = await store.openTree(reference, { owner: { uid: 65533, gid: 65533 } })
    expect(theirs.path).not.toBe(ours.path)
    expect(theirs.fromCache).toBe(false)
    expect(lstatSync(join(theirs.path, 'etc/name')).uid).toBe(65533)
    expect(lstatSync(join(ours.path, 'etc/name')).uid).toBe(uid)
    ours.release()
    theirs.release()
  })

  test('keeps to a size, of a new tree and of one that is there', async ({ folder }) => {
    const reference = imageFile(folder, 'large', { name: 'large', body: Buffer.alloc(100_000) })
    const store = storeIn(folder)
    const tooLarge = { kind: 'IMAGE_TOO_LARGE' }
    await expect(store.openTree(reference, { ...owned, maxBytes: 50_000 })).rejects.toMatchObject(
      tooLarge,
    )
    expect(namesIn(folder, 'trees')).toEqual([])
    ;(await store.openTree(reference, owned)).release()
    await expect(store.openTree(reference, { ...owned, maxBytes: 50_000 })).rejects.toMatchObject(
      tooLarge,
    )
    expect((await store.prune({ maxBytes: 0 })).removed).toHaveLength(1)
  })

  test('leaves nothing of an archive that is none', async ({ folder }) => {
    const reference = imageFile(folder, 'bad', { name: 'x', type: 'V' })
    const store = storeIn(folder)
    await expect(store.openTree(reference, owned)).rejects.toMatchObject({
      kind: 'IMAGE_ARCHIVE_INVALID',
    })
    expect(namesIn(folder, 'trees')).toEqual([])
    expect((await store.list()).map(({ inUse }) => inUse)).toEqual([false])
  })

  test('an abort ends it with its own reason and leaves no tree', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const controller = new AbortController()
    const onProgress = ({ phase }: ImageProgress) =>
      phase === 'unpack' && controller.abort(new Error('enough'))
    const opening = storeIn(folder).openTree(reference, {
      ...owned,
      signal: controller.signal,
      onProgress,
    })
    await expect(opening).rejects.toThrow('enough')
    expect(namesIn(folder, 'trees')).toEqual([])
  })
})

describe('a tree is not used', () => {
  const treeFolder = (folder: string, sha256: string) =>
    join(folder, 'store/trees', `${sha256}-${treeVersion}-${uid}`)

  test.for<[string, (tree: string) => void]>([
    ['without its root', (tree) => renameSync(join(tree, 'root'), `${tree}-root`)],
    ['with half a description', (tree) => writeFileSync(join(tree, 'meta.json'), '{"dig')],
    ['without a description', (tree) => rmSync(join(tree, 'meta.json'))],
    [
      'of an earlier boot that never reached the disk',
      (tree) => {
        const file = join(tree, 'meta.json')
        const meta = JSON.parse(readFileSync(file, 'utf8')) as object
        writeFileSync(file, JSON.stringify({ ...meta, bootId: 'an earlier one' }))
        rmSync(join(tree, 'synced'))
      },
    ],
  ])('%s', async ([, damage], { folder }) => {
    const reference = imageFile(folder, 'one')
    const store = storeIn(folder)
    ;(await store.openTree(reference, owned)).release()
    await store.settled()
    damage(treeFolder(folder, reference.sha256))
    const again = await store.openTree(reference, owned)
    expect(again.fromCache).toBe(false)
    expect(readFileSync(join(again.path, 'etc/name'), 'utf8')).toBe('one')
    again.release()
    await store.settled()
    await store.prune({ maxBytes: 2 ** 40 })
    expect(namesIn(folder, 'trees').filter((name) => name.includes('.'))).toEqual([])
  })

  test('of an earlier boot is used when it had reached the disk', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const store = storeIn(folder)
    ;(await store.openTree(reference, owned)).release()
    await store.settled()
    const file = join(treeFolder(folder, reference.sha256), 'meta.json')
    const meta = JSON.parse(readFileSync(file, 'utf8')) as object
    writeFileSync(file, JSON.stringify({ ...meta, bootId: 'an earlier one' }))
    const again = await store.openTree(reference, owned)
    expect(again.fromCache).toBe(true)
    again.release()
  })
})

describe('many at once', () => {
  test('one unpacks, the others share', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const opened = await Promise.all(
      Array.from({ length: 8 }, () => storeIn(folder).openTree(reference, owned)),
    )
    expect(opened.filter(({ fromCache }) => !fromCache)).toHaveLength(1)
    expect(new Set(opened.map(({ path }) => path)).size).toBe(1)
    for (const tree of opened) tree.release()
  })

  test('processes, too', async ({ folder }) => {
    const big = Array.from({ length: 2000 }, (_, index) => ({ name: `etc/${index}`, body: 'x' }))
    const reference = imageFile(folder, 'big', ...big)
    await using one = otherProcess(folder, 'open-tree', reference)
    await using other = otherProcess(folder, 'open-tree', reference)
    const done = async (child: typeof one) => {
      for (;;) {
        const line = await child.line()
        if (line.startsWith('done')) return line
      }
    }
    const ends = await Promise.all([done(one), done(other)])
    expect(ends.toSorted()).toEqual(['done false', 'done true'])
    expect(namesIn(folder, 'trees')).toHaveLength(1)
  })

  test('what a killed process left is swept, and made again', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const store = storeIn(folder)
    await store.fetch(reference)
    const staging = join(
      folder,
      'store/trees',
      `${reference.sha256}-${treeVersion}-${uid}.0123456789abcdef.staging`,
    )
    mkdirSync(join(staging, 'root/closed'), { recursive: true })
    chmodSync(join(staging, 'root/closed'), 0)
    const tree = await store.openTree(reference, owned)
    expect(existsSync(staging)).toBe(false)
    expect(tree.fromCache).toBe(false)
    tree.release()
  })

  test('a process that dies while it unpacks keeps nobody waiting', async ({ folder }) => {
    const body = Buffer.alloc(2_000_000, 'x')
    const files = Array.from({ length: 100 }, (_, index) => ({ name: `etc/${index}`, body }))
    const reference = imageFile(folder, 'big', ...files)
    await using other = otherProcess(folder, 'open-tree', reference)
    while (!(await other.line()).includes('"unpack"'));
    await other.kill()
    expect(readdirSync(join(folder, 'store/trees'))[0]).toMatch(/\.staging$/)
    const tree = await storeIn(folder).openTree(reference, owned)
    expect(tree).toMatchObject({ fromCache: false, entries: 103 })
    expect(namesIn(folder, 'trees')).toHaveLength(1)
    tree.release()
  })
})
