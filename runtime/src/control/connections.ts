/**
 * Connections of the control socket: how many are served at once, and how one is closed whose client
 * gets no answer by HTTP's own ways.
 * @module
 */
import type { Server } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { ErrorKind } from './protocol.ts'

// A client beyond the limit gets an answer and a moment to read it; so many may do so at once.
const mostRefused = 64
// Time for a refused client to read its answer and to hang up.
const lingerMs = 500

/** Serves so many connections at once, and answers the next with 503: Node would only hang up. */
export function serveAtMost(server: Server, most: number): void {
  const [serve] = server.listeners('connection') as ((socket: Socket) => void)[]
  if (!serve) throw new Error('expected a server that listens to its connections')
  server.removeAllListeners('connection')
  server.maxConnections = most + mostRefused
  let open = 0
  server.on('connection', (socket: Socket) => {
    if (open >= most) return refuseBusy(socket, most)
    open++
    socket.once('close', () => open--)
    serve.call(server, socket)
  })
}

function refuseBusy(socket: Socket, most: number): void {
  const message = `the daemon serves ${most} connections already; try again`
  // The client may have gone away.
  socket.on('error', () => {})
  answerAndClose(socket, '503 Service Unavailable', 'TOO_MANY_CLIENTS', message)
}

/** Answers bytes that are no HTTP request, or that come too slowly. */
export function refuseGarbage(error: NodeJS.ErrnoException, socket: Duplex): void {
  if (!socket.writable) return void socket.destroy()
  const message = 'expected an HTTP/1.1 request'
  if (error.code === 'ERR_HTTP_REQUEST_TIMEOUT')
    answerAndClose(socket, '408 Request Timeout', 'TIMEOUT', message)
  else answerAndClose(socket, '400 Bad Request', 'INVALID_REQUEST', message)
}

/** Closes both directions, in time even when the client stays: it must not keep its connection. */
function answerAndClose(socket: Duplex, status: string, kind: ErrorKind, message: string): void {
  const body = `${JSON.stringify({ error: { kind, message } })}\n`
  const timer = setTimeout(() => socket.destroy(), lingerMs)
  socket.once('close', () => clearTimeout(timer))
  // Input that nobody reads would take the answer from the client when the socket is closed.
  socket.resume()
  socket.end(
    `HTTP/1.1 ${status}\r\ncontent-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\nconnection: close\r\n\r\n${body}`,
  )
}
