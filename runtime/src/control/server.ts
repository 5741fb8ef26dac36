/**
 * The daemon's control socket: HTTP/1.1 and JSON on a Unix socket that only its user can open.
 * @module
 */
import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { rmSync } from 'node:fs'
import type { Logger } from '@causeway/service/log'
import { StartError } from '../errors/start-error.ts'
import { refuseGarbage, serveAtMost } from './connections.ts'
import { answerOf, ControlError, invalidRequest } from './control-error.ts'
import { clientSignal, longestUnreadMs, sendLines } from './lines.ts'
import { protocol, type Protocol, type RequestName } from './protocol.ts'
import { check, readJson, readQuery } from './request.ts'
import { routes, type RouteContext } from './routes.ts'

export interface ControlServerOptions extends RouteContext {
  /** Path of the socket. An existing one is replaced, so the caller must hold the folder's lock. */
  path: string
  log: Logger
  limits?: Partial<ServerLimits>
}

/** Which clients are served, and for how long. */
export interface ServerLimits {
  /** Most connections at once. */
  connections: number
  /** Time for a request's headers to arrive; also of a client that sends nothing. */
  headersTimeout: number
  /** Between two looks for clients that are late. */
  connectionsCheckingInterval: number
}

export interface ControlServer {
  /** Stops accepting clients. */
  refuse(): void
  /** Closes all connections, after a moment for answers to end. */
  close(): Promise<void>
}

// sun_path with its NUL.
const maxPathBytes = 107
const defaultLimits: ServerLimits = {
  connections: 256,
  // A client must not hold a connection open by sending a byte now and then.
  headersTimeout: 10_000,
  connectionsCheckingInterval: 5_000,
}
const fixedLimits = {
  maxHeaderSize: 16 * 1024,
  requestTimeout: 30_000,
  keepAliveTimeout: 5_000,
  // The header means nothing here, and Node would answer its absence without a JSON body.
  requireHostHeader: false,
}

/** @throws StartError STATE_UNREACHABLE when the socket can't be made */
export async function startControlServer(options: ControlServerOptions): Promise<ControlServer> {
  const { path } = options
  checkPath(path)
  const { connections, ...times } = { ...defaultLimits, ...options.limits }
  const server = createServer(
    { ...fixedLimits, ...times },
    (request, response) => void answer(options, request, response),
  )
  serveAtMost(server, connections)
  server.on('clientError', refuseGarbage)
  rmSync(path, { force: true })
  await listen(server, path)
  const closed = new Promise<void>((resolve) => server.on('close', () => resolve()))
  const refuse = () => void server.close()
  return { refuse, close: () => cutOff(server, closed) }
}

function checkPath(path: string): void {
  const bytes = Buffer.byteLength(path)
  if (bytes <= maxPathBytes) return
  throw new StartError(
    'STATE_UNREACHABLE',
    `${path}: expected a socket's path of at most ${maxPathBytes} bytes, found ${bytes}; choose another with --state`,
  )
}

/** Gives the socket mode 0600 from the start: a client can run programs as the daemon's user. */
async function listen(server: Server, path: string): Promise<void> {
  const mask = process.umask(0o177)
  try {
    // listen() binds before it returns, so the mask applies.
    server.listen(path)
  } finally {
    process.umask(mask)
  }
  await once(server, 'listening')
}

// Time for clients that follow a stream to get its last lines.
const closeGraceMs = 1000

async function cutOff(server: Server, closed: Promise<void>): Promise<void> {
  if (server.listening) server.close()
  server.closeIdleConnections()
  const timer = setTimeout(() => server.closeAllConnections(), closeGraceMs)
  await closed
  clearTimeout(timer)
}

async function answer(
  context: ControlServerOptions,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  try {
    const result = await carryOut(findRequest(request), context, request, response)
    if (isStream(result)) await sendLines(response, result)
    else sendJson(response, 200, result)
  } catch (error) {
    refuse(context.log, request, response, error)
  }
}

/** Checks everything that the client sent, then calls the route. @throws ControlError */
async function carryOut<R extends RequestName>(
  { name, reference, query }: FoundRequest<R>,
  { supervisor, status }: RouteContext,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<unknown> {
  const schemas: Protocol[R] = protocol[name]
  // Before anything is waited for: a client that goes away meanwhile must be noticed.
  const signal = clientSignal(response)
  return routes[name]({
    supervisor,
    status,
    params: check(schemas.params, reference === undefined ? {} : { id: reference }),
    query: readQuery(query, schemas.query),
    body: await readJson(request, schemas.body),
    signal,
  })
}

function isStream(result: unknown): result is AsyncIterable<unknown> {
  return typeof result === 'object' && result !== null && Symbol.asyncIterator in result
}

interface FoundRequest<R extends RequestName = RequestName> {
  name: R
  /** What stands for `:id`, if the path has it. */
  reference: string | undefined
  query: URLSearchParams
}

/** @throws ControlError */
function findRequest({ method, url }: IncomingMessage): FoundRequest {
  const { pathname, searchParams: query } = parseUrl(url ?? '')
  const [, version, kind, reference, ...rest] = pathname.split('/')
  const path = ['', version, kind, ...(reference === undefined ? [] : [':id', ...rest])].join('/')
  const name = `${method} ${path}`
  if (isRequestName(name)) return { name, reference: reference && decode(reference), query }
  const isOther = Object.keys(protocol).some((other) => other.endsWith(` ${path}`))
  throw isOther
    ? new ControlError('METHOD_NOT_ALLOWED', `${method} is not for ${pathname}`)
    : new ControlError('NOT_FOUND', `there is nothing at ${pathname}`)
}

function isRequestName(name: string): name is RequestName {
  return Object.hasOwn(protocol, name)
}

function parseUrl(url: string): URL {
  const base = 'http://control'
  if (!url.startsWith('/') || !URL.canParse(url, base)) throw invalidRequest('malformed URL')
  return new URL(url, base)
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw invalidRequest('malformed URL')
  }
}

function sendJson(response: ServerResponse, status: number, body: unknown): void {
  if (response.headersSent) return void response.destroy()
  const content = Buffer.from(`${JSON.stringify(body)}\n`)
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': content.length,
    // An unread rest of this request must not be taken for the next request.
    ...(status >= 400 && { connection: 'close' }),
  })
  // A client that does not read its answer must not keep its connection either.
  response.socket?.setTimeout(longestUnreadMs)
  response.end(content)
}

function refuse(
  log: Logger,
  { method, url }: IncomingMessage,
  response: ServerResponse,
  error: unknown,
): void {
  const { status, body } = answerOf(error)
  if (isGone(error)) log.debug({ method, url }, 'the client went away')
  else if (status >= 500 && status !== 503)
    log.error({ err: error, method, url }, 'control request failed')
  sendJson(response, status, body)
}

function isGone(error: unknown): boolean {
  return (error as NodeJS.ErrnoException | undefined)?.code === 'ECONNRESET'
}
