import { randomBytes } from 'node:crypto'
import { appendFileSync, mkdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import type { ImageProgress } from '../../../images/src/index.ts'
import { serveRanges, type RangeServer } from './http-range-fixture.ts'
import { digestOf, namesIn, otherProcess, storeIn } from './image-store-fixture.ts'
import { test } from './temp-folder.ts'

const archive = randomBytes(3_000_000)
const sha256 = digestOf(archive)
const part = `${sha256}.part`
const half = 1_500_000

const blob = (folder: string) => join(folder, 'store', 'blobs', sha256)

/** A download that the server cut after half of it. */
async function cutShort(folder: string, server: RangeServer): Promise<void> {
  server.cutAfter = half
  await expect(storeIn(folder).fetch({ url: server.url, sha256 })).rejects.toMatchObject({
    kind: 'IMAGE_DOWNLOAD_FAILED',
    message: expect.stringContaining('broke off'),
  })
  server.cutAfter = Infinity
}

describe('an interrupted download', () => {
  test('goes on where the connection was cut', async ({ folder }) => {
    await using server = await serveRanges(archive)
    await cutShort(folder, server)
    expect(namesIn(folder, 'blobs')).toEqual([part, `${part}.json`])
    const seen: ImageProgress[] = []
    const { bytes } = await storeIn(folder).fetch(
      { url: server.url, sha256 },
      { onProgress: (progress) => seen.push(progress) },
    )
    expect(bytes).toBe(archive.length)
    expect(readFileSync(blob(folder)).equals(archive)).toBe(true)
    const start = Number(/^bytes=(\d+)-$/.exec(server.asked.at(-1) ?? '')?.[1])
    expect(start).toBeGreaterThan(0)
    expect(seen.at(-1)).toEqual({
      phase: 'download',
      bytes: archive.length,
      totalBytes: archive.length,
      resumedBytes: start,
    })
    expect(namesIn(folder, 'blobs')).toEqual([sha256, `${sha256}.json`])
  })

  test('goes on by the date where there is no strong ETag', async ({ folder }) => {
    await using server = await serveRanges(archive)
    server.etag = 'W/"weak"'
    server.lastModified = 'Tue, 15 Nov 1994 12:45:26 GMT'
    await cutShort(folder, server)
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(server.asked.at(-1)).toMatch(/^bytes=[1-9]/)
  })

  test('leaves nothing where it could not be continued', async ({ folder }) => {
    await using server = await serveRanges(archive)
    server.etag = undefined
    await cutShort(folder, server)
    expect(namesIn(folder, 'blobs')).toEqual([])
  })

  test('goes on after an abort, and after silence', async ({ folder }) => {
    await using server = await serveRanges(archive)
    server.cutAfter = half
    server.hold = true
    const controller = new AbortController()
    const aborted = storeIn(folder).fetch(
      { url: server.url, sha256 },
      { signal: controller.signal },
    )
    void server.held().then(() => controller.abort(new Error('enough')))
    await expect(aborted).rejects.toThrow('enough')
    const silent = storeIn(folder, { stallTimeoutMs: 100 }).fetch({ url: server.url, sha256 })
    await expect(silent).rejects.toThrow('stalled')
    server.cutAfter = Infinity
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(readFileSync(blob(folder)).equals(archive)).toBe(true)
    expect(server.asked[2]).toMatch(/^bytes=[1-9]/)
  })

  test('goes on after the process was killed', async ({ folder }) => {
    await using server = await serveRanges(archive)
    server.cutAfter = half
    server.hold = true
    await using other = otherProcess(folder, 'fetch', { url: server.url, sha256 })
    await server.held()
    while (!(await other.line()).includes('"download"'));
    await other.kill()
    server.cutAfter = Infinity
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(readFileSync(blob(folder)).equals(archive)).toBe(true)
    expect(server.asked.at(-1)).toMatch(/^bytes=[1-9]/)
  })

  test('asks for nothing when only the new name was missing', async ({ folder }) => {
    await using server = await serveRanges(archive)
    await cutShort(folder, server)
    const { length } = readFileSync(`${blob(folder)}.part`)
    appendFileSync(`${blob(folder)}.part`, archive.subarray(length))
    const requests = server.asked.length
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(server.asked).toHaveLength(requests)
  })
})

describe('from the beginning', () => {
  test('when the server has another entity now', async ({ folder }) => {
    await using server = await serveRanges(randomBytes(3_000_000))
    await cutShort(folder, server)
    server.archive = archive
    server.etag = '"two"'
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(readFileSync(blob(folder)).equals(archive)).toBe(true)
    expect(server.asked).toHaveLength(2)
  })

  test('when another entity has the same ETag', async ({ folder }) => {
    await using server = await serveRanges(randomBytes(3_000_000))
    await cutShort(folder, server)
    server.archive = archive
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(readFileSync(blob(folder)).equals(archive)).toBe(true)
    expect(server.asked.slice(1)).toEqual([expect.stringMatching(/^bytes=[1-9]/), ''])
  })

  test.for(['ignored', 'refused', 'wrong-start', 'wrong-total', 'no-content-range'] as const)(
    'when a Range is answered so: %s',
    async (ranges, { folder }) => {
      await using server = await serveRanges(archive)
      await cutShort(folder, server)
      server.ranges = ranges
      await storeIn(folder).fetch({ url: server.url, sha256 })
      expect(readFileSync(blob(folder)).equals(archive)).toBe(true)
      expect(namesIn(folder, 'blobs')).toEqual([sha256, `${sha256}.json`])
    },
  )

  test('when the URL is another', async ({ folder }) => {
    await using server = await serveRanges(archive)
    await cutShort(folder, server)
    await storeIn(folder).fetch({ url: `${server.url}?mirror`, sha256 })
    expect(server.asked.at(-1)).toBe('')
  })

  test('when what stands beside the part is cut off', async ({ folder }) => {
    await using server = await serveRanges(archive)
    await cutShort(folder, server)
    writeFileSync(`${blob(folder)}.part.json`, '{"validator"')
    await storeIn(folder).fetch({ url: server.url, sha256 })
    expect(server.asked.at(-1)).toBe('')
  })
})

test('a server that fails meanwhile takes nothing away', async ({ folder }) => {
  await using server = await serveRanges(archive)
  await cutShort(folder, server)
  server.ranges = 'failing'
  await expect(storeIn(folder).fetch({ url: server.url, sha256 })).rejects.toThrow('503')
  expect(namesIn(folder, 'blobs')).toEqual([part, `${part}.json`])
  server.ranges = 'honest'
  await storeIn(folder).fetch({ url: server.url, sha256 })
  expect(server.asked.at(-1)).toMatch(/^bytes=[1-9]/)
})

test('wrong bytes are not kept, not even as a part', async ({ folder }) => {
  await using server = await serveRanges(randomBytes(3_000_000))
  await cutShort(folder, server)
  await expect(storeIn(folder).fetch({ url: server.url, sha256 })).rejects.toMatchObject({
    kind: 'IMAGE_DIGEST_MISMATCH',
  })
  expect(namesIn(folder, 'blobs')).toEqual([])
})

test('a part is no way around the limit of size', async ({ folder }) => {
  await using server = await serveRanges(archive)
  await cutShort(folder, server)
  const store = storeIn(folder, { maxDownloadBytes: archive.length - 1 })
  await expect(store.fetch({ url: server.url, sha256 })).rejects.toMatchObject({
    kind: 'IMAGE_TOO_LARGE',
  })
  expect(namesIn(folder, 'blobs')).toEqual([])
})

test('parts that nobody went on with for a week are swept away', async ({ folder }) => {
  const blobs = join(folder, 'store', 'blobs')
  mkdirSync(blobs, { recursive: true })
  const [stale, fresh] = ['1'.repeat(64), '2'.repeat(64)]
  for (const digest of [stale, fresh]) {
    writeFileSync(join(blobs, `${digest}.part`), 'x')
    writeFileSync(join(blobs, `${digest}.part.json`), '{}')
  }
  utimesSync(join(blobs, `${stale}.part`), 1, 1)
  await storeIn(folder).prune({ maxBytes: 2 ** 30 })
  expect(namesIn(folder, 'blobs')).toEqual([`${fresh}.part`, `${fresh}.part.json`])
})
