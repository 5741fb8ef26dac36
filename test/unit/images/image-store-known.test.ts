/**
 * Images that a store knows by their digest: their URLs are not opened and need no permission.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect } from 'vitest'
import type { ImageReference } from '../../../images/src/index.ts'
import { digestOf, imageFile, namesIn, owned, storeIn } from './image-store-fixture.ts'
import { test } from './temp-folder.ts'

const refused = { kind: 'IMAGE_URL_REFUSED', message: expect.stringContaining('allowLocal') }
const elsewhere = ['file:///nothing/here.tar', 'http://127.0.0.1:1/', 'https://127.0.0.1:1/']

/** Puts an image and its receipt where the store's host builds its own. */
function build(folder: string, name: string, receipt: object = {}): ImageReference {
  const { url, sha256 } = imageFile(folder, name)
  const recipes = join(folder, 'store', 'recipes')
  mkdirSync(recipes, { recursive: true })
  const bytes = readFileSync(new URL(url))
  const path = join(recipes, `${name}.tar`)
  writeFileSync(path, bytes)
  writeFileSync(`${path}.json`, JSON.stringify({ sha256, bytes: bytes.length, ...receipt }))
  rmSync(new URL(url))
  return { url: pathToFileURL(path).href, sha256 }
}

describe('an image that was built here', () => {
  test.for(elsewhere)(
    'is taken from where it was built, whatever %s is',
    async (url, { folder }) => {
      const { sha256, url: built } = build(folder, 'one')
      build(folder, 'two')
      const store = storeIn(folder, { allowLocal: false })
      const fetched = await store.fetch({ url, sha256 })
      expect(digestOf(readFileSync(fetched.path))).toBe(sha256)
      expect((await store.inspect(sha256)).url).toBe(built)
    },
  )

  test('runs without a permission', async ({ folder }) => {
    const tree = await storeIn(folder, { allowLocal: false }).openTree(build(folder, 'one'), owned)
    expect(readFileSync(join(tree.path, 'etc/name'), 'utf8')).toBe('one')
    tree.release()
  })

  test.for<[string, (path: string) => void]>([
    ['is damaged', (path) => writeFileSync(path, 'damaged')],
    ['is gone', (path) => rmSync(path)],
    ['has no receipt', (path) => rmSync(`${path}.json`)],
    ['has half a receipt', (path) => writeFileSync(`${path}.json`, '{"sha256":')],
  ])('is unknown when it %s', async ([, harm], { folder }) => {
    const reference = build(folder, 'one')
    harm(join(folder, 'store', 'recipes', 'one.tar'))
    const store = storeIn(folder, { allowLocal: false })
    await expect(store.fetch(reference)).rejects.toMatchObject(refused)
  })

  test('is unknown when its receipt claims another digest', async ({ folder }) => {
    const sha256 = 'ab'.repeat(32)
    const { url } = build(folder, 'one', { sha256 })
    const store = storeIn(folder, { allowLocal: false })
    await expect(store.fetch({ url, sha256 })).rejects.toMatchObject(refused)
  })
})

describe('an image that the store has', () => {
  test.for(elsewhere)('is taken from the store, whatever %s is', async (url, { folder }) => {
    const reference = imageFile(folder, 'one')
    await storeIn(folder).fetch(reference)
    const store = storeIn(folder, { allowLocal: false })
    const known = await store.fetch({ url, sha256: reference.sha256.toUpperCase() })
    expect(known).toMatchObject({ fromCache: true, sha256: reference.sha256 })
  })

  test('is unknown when its archive is damaged', async ({ folder }) => {
    const reference = imageFile(folder, 'one')
    const { path } = await storeIn(folder).fetch(reference)
    writeFileSync(path, 'damaged')
    const store = storeIn(folder, { allowLocal: false })
    await expect(store.fetch(reference)).rejects.toMatchObject(refused)
  })

  test.for(['ftp://example.com/image.tar', 'http://example.com/image.tar', 'image.tar'])(
    'does not make %s a URL of images',
    async (url, { folder }) => {
      const { sha256 } = imageFile(folder, 'one')
      await storeIn(folder).fetch(imageFile(folder, 'one'))
      await expect(storeIn(folder).fetch({ url, sha256 })).rejects.toMatchObject({
        kind: 'IMAGE_URL_REFUSED',
      })
    },
  )
})

test('a file with an unknown digest is refused, and nobody opens it', async ({ folder }) => {
  const { sha256 } = build(folder, 'one')
  const fifo = join(folder, 'fifo')
  execFileSync('mkfifo', [fifo])
  // Ends as soon as anybody opens the other side.
  const watcher = spawn('sh', ['-c', 'echo ready; : > "$1"', 'sh', fifo])
  const opened = once(watcher, 'close')
  await once(watcher.stdout, 'data')
  await expect.poll(() => stateOf(watcher.pid!)).toBe('S')
  const unknown = { url: pathToFileURL(fifo).href, sha256: sha256.replace(/./, flip) }
  const closed = storeIn(folder, { allowLocal: false })
  await expect(closed.fetch(unknown)).rejects.toMatchObject(refused)
  await expect(closed.openTree(unknown, owned)).rejects.toMatchObject(refused)
  expect(namesIn(folder, 'blobs')).toEqual([])
  expect(watcher.exitCode).toBeNull()
  // With permission it is opened: so the watcher would have seen it.
  await expect(storeIn(folder).fetch(unknown)).rejects.toMatchObject({
    kind: 'IMAGE_DOWNLOAD_FAILED',
  })
  await opened
})

/** `S` for a process that sleeps. */
const stateOf = (pid: number) => readFileSync(`/proc/${pid}/stat`, 'utf8').split(' ')[2]

const flip = (digit: string) => (digit === '0' ? '1' : '0')
