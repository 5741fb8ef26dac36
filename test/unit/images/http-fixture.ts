/**
 * Loopback web servers for downloads.
 *
 * @module
 */
import { createServer as createHttp, type RequestListener } from 'node:http'
import { createServer as createHttps } from 'node:https'
import { spawnSync } from 'node:child_process'
import { createServer as createTcp, type AddressInfo, type Server, type Socket } from 'node:net'

/** A running server. */
export interface Served {
  url: string
  [Symbol.asyncDispose](): Promise<void>
}

/** Serves with an HTTP handler. */
export function serve(handler: RequestListener): Promise<Served> {
  return listen(createHttp(handler))
}

/** Serves bytes written by hand after the request has arrived. */
export function serveRaw(answer: (socket: Socket) => void): Promise<Served> {
  return listen(
    createTcp((socket) => {
      socket.on('error', () => {}) // the client may hang up
      socket.once('data', () => answer(socket))
    }),
  )
}

/** Serves over TLS with a certificate of its own for localhost. */
export function serveTls(handler: RequestListener): Promise<Served> {
  // Through cat: openssl opens /dev/stdout by name, which a socket does not allow.
  const command = `openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:prime256v1 -nodes -batch \
    -subj /CN=localhost -addext subjectAltName=DNS:localhost \
    -keyout /dev/stdout -out /dev/stdout | cat`
  const made = spawnSync('sh', ['-c', command])
  if (made.stdout.length === 0) throw new Error(`openssl failed: ${made.stderr.toString()}`)
  return listen(createHttps({ key: made.stdout, cert: made.stdout }, handler), 'https')
}

async function listen(server: Server, scheme = 'http'): Promise<Served> {
  const sockets = new Set<Socket>()
  server.on('connection', (socket: Socket) => sockets.add(socket))
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    url: `${scheme}://127.0.0.1:${port}/image.tar`,
    async [Symbol.asyncDispose]() {
      for (const socket of sockets) socket.destroy()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
