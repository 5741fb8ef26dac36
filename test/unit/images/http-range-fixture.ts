/**
 * A web server that serves one archive, whole or from a position, and can be told to misbehave.
 *
 * @module
 */
import type { IncomingMessage, ServerResponse } from 'node:http'
import { serve, type Served } from './http-fixture.ts'

/** What the server does. All can be changed while it runs. */
export interface RangeServer extends Served {
  archive: Buffer
  /** `undefined`: none is sent. */
  etag: string | undefined
  lastModified: string | undefined
  /** How many bytes of a body are sent before the connection is cut. */
  cutAfter: number
  /** `honest` (RFC 9110); otherwise what it does wrong with a Range. */
  ranges:
    | 'honest'
    | 'ignored'
    | 'refused'
    | 'unconditional'
    | 'wrong-start'
    | 'wrong-total'
    | 'no-content-range'
    | 'failing'
  /** The Range header of every request; `''` for none. */
  readonly asked: string[]
  /** Resolves when a body was cut or held. */
  held(): Promise<void>
  /** Instead of cutting, keeps the connection open in silence. */
  hold: boolean
}

/** Starts it with an archive. */
export async function serveRanges(archive: Buffer): Promise<RangeServer> {
  let onHeld = () => {}
  const held = new Promise<void>((resolve) => (onHeld = resolve))
  const served = await serve((request, response) => answer(server, request, response, onHeld))
  const server: RangeServer = {
    ...served,
    archive,
    etag: '"one"',
    lastModified: undefined,
    cutAfter: Infinity,
    ranges: 'honest',
    asked: [],
    hold: false,
    held: () => held,
  }
  return server
}

function answer(
  server: RangeServer,
  request: IncomingMessage,
  response: ServerResponse,
  onHeld: () => void,
): void {
  const asked = request.headers.range ?? ''
  server.asked.push(asked)
  if (server.etag !== undefined) response.setHeader('etag', server.etag)
  if (server.lastModified !== undefined) response.setHeader('last-modified', server.lastModified)
  const start = startOf(server, asked, String(request.headers['if-range']))
  if (server.ranges === 'failing' && asked !== '') return void response.writeHead(503).end()
  if (server.ranges === 'refused' && asked !== '') return void response.writeHead(416).end()
  const body = server.archive.subarray(start)
  response.setHeader('content-length', body.length)
  if (start > 0) writeRangeHead(server, response, start)
  if (body.length <= server.cutAfter) return void response.end(body)
  response.write(body.subarray(0, server.cutAfter), () => {
    onHeld()
    if (!server.hold) setTimeout(() => response.destroy(), 20)
  })
}

function startOf(server: RangeServer, asked: string, condition: string): number {
  const start = Number(/^bytes=(\d+)-$/.exec(asked)?.[1] ?? 0)
  if (server.ranges === 'ignored') return 0
  const isSame = condition === server.etag || condition === server.lastModified
  return isSame || server.ranges !== 'honest' ? start : 0
}

function writeRangeHead(server: RangeServer, response: ServerResponse, start: number): void {
  const { length } = server.archive
  const from = server.ranges === 'wrong-start' ? start - 1 : start
  const total = server.ranges === 'wrong-total' ? length + 1 : length
  response.statusCode = 206
  if (server.ranges === 'no-content-range') return
  response.setHeader('content-range', `bytes ${from}-${total - 1}/${total}`)
}
