/**
 * An image whose download never finishes.
 * @module
 */
import { once } from 'node:events'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

const announcedBytes = 1 << 20

export interface SlowImage extends Disposable {
  /** The reference for a manifest. */
  image: { url: string; sha256: string }
}

/** Serves one half of an image over HTTP on loopback, and never the other one. */
export async function slowImage(): Promise<SlowImage> {
  const open = new Set<ServerResponse>()
  const server = createServer((_, response) => {
    open.add(response)
    response.writeHead(200, { 'content-length': announcedBytes })
    response.write(Buffer.alloc(announcedBytes / 2))
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/image.tar.xz`
  return {
    image: { url, sha256: '2'.repeat(64) },
    [Symbol.dispose]() {
      for (const response of open) response.destroy()
      server.close()
    },
  }
}
