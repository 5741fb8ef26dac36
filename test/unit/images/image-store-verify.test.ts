import {
  chmodSync,
  closeSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  unlinkSync,
  utimesSync,
  writeFileSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import { imageFile, namesIn, owned, storeIn } from './image-store-fixture.ts'
import { test } from './temp-folder.ts'

const entries = [
  { name: 'etc/file', body: 'The quick brown fox' },
  { name: 'etc/link', type: '2', link: 'file' },
  { name: 'etc/again', type: '1', link: 'etc/file' },
]

/** Flips one bit, as a disk would: size and time stay. */
function flip(path: string, position: number): void {
  const { atime, mtime } = statSync(path)
  const bytes = readFileSync(path)
  const file = openSync(path, 'r+')
  writeSync(file, Buffer.of((bytes[position] ?? 0) ^ 1), 0, 1, position)
  closeSync(file)
  utimesSync(path, atime, mtime)
}

async function stored(folder: string) {
  const store = storeIn(folder)
  const { path, image, sha256, release } = await store.openTree(
    imageFile(folder, 'a', ...entries),
    owned,
  )
  release()
  await store.settled()
  const verify = async () => (await store.verify(sha256.slice(0, 8)))[0]
  return { store, root: path, archive: image.path, verify }
}

describe('verify', () => {
  test('finds nothing wrong with what is right, and leaves nothing', async ({ folder }) => {
    const { verify } = await stored(folder)
    expect(await verify()).toMatchObject({ problems: [], unchecked: [] })
    expect(namesIn(folder, 'trees')).toHaveLength(1)
  })

  test('finds a flipped bit in a file of the tree', async ({ folder }) => {
    const { verify, root } = await stored(folder)
    flip(join(root, 'etc/file'), 4)
    const found = await verify()
    expect(found?.problems).toEqual([
      expect.stringContaining('/etc/again has different content'),
      expect.stringContaining('/etc/file has different content'),
    ])
  })

  test('finds a flipped bit in the archive, and says what it could not look at', async ({
    folder,
  }) => {
    const { verify, archive } = await stored(folder)
    flip(archive, 600)
    const found = await verify()
    expect(found?.problems).toEqual([expect.stringMatching(/archive .* has sha256 [0-9a-f]{64}/)])
    expect(found?.unchecked).toEqual([expect.stringContaining('contents of ')])
  })

  test.for<[string, (root: string) => void, string]>([
    ['a mode', (root) => chmodSync(join(root, 'etc/file'), 0o600), 'has been changed'],
    ['a time', (root) => utimesSync(join(root, 'etc/file'), 1, 1), 'has been changed'],
    ['a new file', (root) => writeFileSync(join(root, 'etc/new'), ''), 'has 7 entries, expected 6'],
    ['a missing file', (root) => rmSync(join(root, 'etc/link')), 'has 5 entries, expected 6'],
    [
      'a target',
      (root) => {
        unlinkSync(join(root, 'etc/link'))
        symlinkSync('elif', join(root, 'etc/link'))
      },
      'has been changed',
    ],
    [
      'a hard link that is a file of its own now',
      (root) => {
        const { mode, atime, mtime } = statSync(join(root, 'etc/file'))
        rmSync(join(root, 'etc/again'))
        writeFileSync(join(root, 'etc/again'), readFileSync(join(root, 'etc/file')), { mode })
        utimesSync(join(root, 'etc/again'), atime, mtime)
      },
      'has been changed',
    ],
  ])('finds %s', async ([, change, message], { folder }) => {
    const { verify, root } = await stored(folder)
    change(root)
    expect((await verify())?.problems).toEqual([expect.stringContaining(message)])
  })

  test('looks at the tree alone when the archive is gone', async ({ folder }) => {
    const { verify, archive, root } = await stored(folder)
    rmSync(archive)
    expect(await verify()).toMatchObject({
      problems: [],
      unchecked: [expect.stringContaining('no intact archive')],
    })
    chmodSync(join(root, 'etc'), 0o700)
    expect((await verify())?.problems).toHaveLength(1)
  })

  test('a damaged archive is fetched again', async ({ folder }) => {
    const { store, archive } = await stored(folder)
    const reference = imageFile(folder, 'a', ...entries)
    flip(archive, 600)
    expect(await store.fetch(reference)).toMatchObject({ fromCache: false })
    expect(await store.verify()).toMatchObject([{ problems: [] }])
  })
})
