import { createHash } from 'node:crypto'
import { readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { describe, expect } from 'vitest'
import type { ImageProgress } from '../../../images/src/index.ts'
import { serve, serveRaw, serveTls } from './http-fixture.ts'
import { namesIn, storeIn } from './image-store-fixture.ts'
import { test } from './temp-folder.ts'

const archive = Buffer.alloc(300_000, 'image ')
const sha256 = createHash('sha256').update(archive).digest('hex')
const otherDigest = '0'.repeat(64)

/** Every archive the store holds; a failed fetch must leave it empty. */
function blobsIn(folder: string): string[] {
  return namesIn(folder, 'blobs')
}

function fileUrl(folder: string, content: Buffer = archive): string {
  writeFileSync(join(folder, 'image.tar'), content)
  return pathToFileURL(join(folder, 'image.tar')).href
}

describe('fetch', () => {
  test('downloads once, then verifies what it has', async ({ folder }) => {
    let requests = 0
    await using server = await serve((_, response) => {
      requests++
      response.end(archive)
    })
    const store = storeIn(folder)
    const seen: ImageProgress[] = []
    const first = await store.fetch(
      { url: server.url, sha256: sha256.toUpperCase() },
      { onProgress: (progress) => seen.push(progress) },
    )
    const path = join(folder, 'store', 'blobs', sha256)
    expect(first).toEqual({ path, sha256, bytes: archive.length, fromCache: false })
    expect(readFileSync(path).equals(archive)).toBe(true)
    expect(statSync(path).mode & 0o777).toBe(0o600)
    expect(statSync(join(folder, 'store')).mode & 0o777).toBe(0o700)
    expect(seen.at(-1)).toMatchObject({ phase: 'download', bytes: archive.length })
    const second = await store.fetch(
      { url: server.url, sha256 },
      { onProgress: (progress) => seen.push(progress) },
    )
    expect(second).toEqual({ ...first, fromCache: true })
    expect(seen.at(-1)).toEqual({
      phase: 'verify',
      bytes: archive.length,
      totalBytes: archive.length,
    })
    expect(requests).toBe(1)
  })

  test('refetches a damaged archive', async ({ folder }) => {
    const url = fileUrl(folder)
    const { path } = await storeIn(folder).fetch({ url, sha256 })
    writeFileSync(path, 'damaged')
    const again = await storeIn(folder).fetch({ url, sha256 })
    expect(again.fromCache).toBe(false)
    expect(readFileSync(path).equals(archive)).toBe(true)
  })

  test('copies file: urls, and says when there is none', async ({ folder }) => {
    const url = fileUrl(folder)
    expect(await storeIn(folder).fetch({ url, sha256 })).toMatchObject({ bytes: archive.length })
    await expect(
      storeIn(folder).fetch({ url: `${url}.missing`, sha256: otherDigest }),
    ).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
      message: expect.stringContaining('ENOENT'),
    })
    const folderUrl = pathToFileURL(folder).href
    await expect(
      storeIn(folder).fetch({ url: folderUrl, sha256: otherDigest }),
    ).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
    })
  })

  test('names both digests when they differ', async ({ folder }) => {
    const url = fileUrl(folder)
    const failure = storeIn(folder).fetch({ url, sha256: otherDigest })
    await expect(failure).rejects.toMatchObject({ kind: 'IMAGE_DIGEST_MISMATCH' })
    await expect(failure).rejects.toThrow(sha256)
    await expect(failure).rejects.toThrow(otherDigest)
    expect(blobsIn(folder)).toEqual([])
  })

  test('refuses a malformed digest', async ({ folder }) => {
    for (const bad of ['', '../../x', sha256.slice(1), `${sha256}0`, `${sha256.slice(1)}g`]) {
      await expect(
        storeIn(folder).fetch({ url: fileUrl(folder), sha256: bad }),
      ).rejects.toBeInstanceOf(TypeError)
    }
  })

  test('refuses local urls without allowLocal', async ({ folder }) => {
    const store = storeIn(folder, { allowLocal: false })
    for (const url of [fileUrl(folder), 'http://127.0.0.1:1/', 'https://127.0.0.1:1/']) {
      await expect(store.fetch({ url, sha256 })).rejects.toMatchObject({
        kind: 'IMAGE_URL_REFUSED',
        message: expect.stringContaining('allowLocal'),
      })
    }
  })

  test('refuses a name that resolves to loopback, before connecting', async ({ folder }) => {
    const store = storeIn(folder, { allowLocal: false })
    await expect(store.fetch({ url: 'https://localhost:1/', sha256 })).rejects.toMatchObject({
      kind: 'IMAGE_URL_REFUSED',
      message: expect.stringMatching(/localhost is (127\.0\.0\.1|::1)/),
    })
  })

  test('says when a connection is refused', async ({ folder }) => {
    const url = 'http://127.0.0.1:1/image.tar'
    await expect(storeIn(folder).fetch({ url, sha256 })).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
      message: expect.stringContaining('ECONNREFUSED'),
    })
  })
})

describe('what servers do', () => {
  test('a redirect is followed, five at most', async ({ folder }) => {
    await using server = await serve((request, response) => {
      const left = Number(new URL(request.url ?? '', 'http://x').searchParams.get('left'))
      if (left === 0) return void response.end(archive)
      response.writeHead(302, { location: `/image.tar?left=${left - 1}` }).end()
    })
    const store = storeIn(folder)
    await expect(store.fetch({ url: `${server.url}?left=6`, sha256 })).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
      message: expect.stringContaining('5 redirects'),
    })
    await expect(store.fetch({ url: `${server.url}?left=5`, sha256 })).resolves.toBeTruthy()
  })

  test.for(['file:///etc/passwd', 'http://10.0.0.1/x', 'ftp://127.0.0.1/x'])(
    'a redirect to %s is refused',
    async (location, { folder }) => {
      await using server = await serve((_, response) => {
        response.writeHead(302, { location }).end()
      })
      await expect(storeIn(folder).fetch({ url: server.url, sha256 })).rejects.toMatchObject({
        kind: 'IMAGE_URL_REFUSED',
      })
    },
  )

  test('anything but 200 is a failure that names it', async ({ folder }) => {
    await using server = await serve((_, response) => response.writeHead(404).end('no'))
    await expect(storeIn(folder).fetch({ url: server.url, sha256 })).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
      message: expect.stringContaining('404 Not Found'),
    })
  })

  test.for<[string, string, RegExp]>([
    ['too few bytes', 'content-length: 100\r\n\r\n0123456789', /broke off .*expected 100 bytes/],
    [
      'too many bytes',
      'content-length: 5\r\nconnection: close\r\n\r\n0123456789',
      /broke off .*expected 5 bytes/,
    ],
    ['a broken chunk', 'transfer-encoding: chunked\r\n\r\n5\r\n012', /broke off/],
    ['no HTTP', '', /failed/],
  ])('%s', async ([, answer, message], { folder }) => {
    const store = storeIn(folder)
    await using server = await serveRaw((socket) =>
      socket.end(answer === '' ? 'hello' : `HTTP/1.1 200 OK\r\n${answer}`),
    )
    const failure = store.fetch({ url: server.url, sha256 })
    await expect(failure).rejects.toMatchObject({ kind: 'IMAGE_DOWNLOAD_FAILED' })
    await expect(failure).rejects.toThrow(message)
    expect(blobsIn(folder)).toEqual([])
  })

  test('a certificate nobody vouches for is refused', async ({ folder }) => {
    await using server = await serveTls((_, response) => response.end(archive))
    const url = server.url.replace('127.0.0.1', 'localhost')
    await expect(storeIn(folder).fetch({ url, sha256 })).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
      message: expect.stringMatching(/self-signed certificate/),
    })
  })

  test('silence ends the download', async ({ folder }) => {
    await using silent = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789')
    })
    const store = storeIn(folder, { stallTimeoutMs: 100 })
    await expect(store.fetch({ url: silent.url, sha256 })).rejects.toMatchObject({
      kind: 'IMAGE_DOWNLOAD_FAILED',
      message: expect.stringContaining('stalled'),
    })
    expect(blobsIn(folder)).toEqual([])
  })

  test('a drip ends after the total time', async ({ folder }) => {
    await using drip = await serve((_, response) => {
      const timer = setInterval(() => response.write('x'), 20)
      response.on('close', () => clearInterval(timer))
    })
    const store = storeIn(folder, { timeoutMs: 200 })
    await expect(store.fetch({ url: drip.url, sha256 })).rejects.toThrow('longer than 200 ms')
    expect(blobsIn(folder)).toEqual([])
  })

  test('too much is refused, announced or not', async ({ folder }) => {
    const store = storeIn(folder, { maxDownloadBytes: 1000 })
    await using announced = await serve((_, response) => response.end(archive))
    await using chunked = await serve((_, response) => {
      response.write(archive)
      response.end(archive)
    })
    for (const { url } of [announced, chunked, { url: fileUrl(folder) }]) {
      await expect(store.fetch({ url, sha256 })).rejects.toMatchObject({ kind: 'IMAGE_TOO_LARGE' })
    }
    expect(blobsIn(folder)).toEqual([])
  })
})

describe('giving up and sharing', () => {
  test('an abort ends it with its own reason', async ({ folder }) => {
    const controller = new AbortController()
    await using server = await serveRaw((socket) => {
      socket.write('HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n0123456789')
      setTimeout(() => controller.abort(new Error('enough')), 50)
    })
    const { signal } = controller
    const store = storeIn(folder)
    await expect(store.fetch({ url: server.url, sha256 }, { signal })).rejects.toThrow('enough')
    expect(blobsIn(folder)).toEqual([])
    await expect(store.fetch({ url: server.url, sha256 }, { signal })).rejects.toThrow('enough')
  })

  test('many fetches of one image at once all get it whole', async ({ folder }) => {
    await using server = await serve((_, response) => {
      response.write(archive.subarray(0, 1000))
      setTimeout(() => response.end(archive.subarray(1000)), 30)
    })
    const fetches = Array.from({ length: 8 }, () =>
      storeIn(folder).fetch({ url: server.url, sha256 }),
    )
    for (const { path } of await Promise.all(fetches)) {
      expect(readFileSync(path).equals(archive)).toBe(true)
    }
    expect(blobsIn(folder)).toEqual([sha256, `${sha256}.json`])
  })
})
