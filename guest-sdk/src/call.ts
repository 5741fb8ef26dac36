/** One call: sends the request with retries and a deadline, and checks the reply. @module */
import { setTimeout as pause } from 'node:timers/promises'
import { BridgeError, BridgeProtocolError, BridgeUnavailableError } from './errors.ts'
import { exchange, lostHint } from './exchange.ts'
import type { ErrorObject, MethodName, MethodParams, MethodResult } from './protocol/index.ts'

/** Options of one call. */
export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Time for the whole call with its retries, ms. Default: the client's. */
  timeoutMs?: number
}

/** Options of a client. */
export interface ConnectOptions {
  /** Name of the abstract socket without the leading NUL. Default: `$BRIDGE_SOCKET`. */
  socket?: string
  /** Time for a whole call with its retries, ms. Default 10,000. */
  timeoutMs?: number
  /** Retries when nobody listens or the host's queue is full; nothing was sent then. Default 4. */
  retries?: number
}

/** Sends one request and resolves with its result. */
export type Call = <M extends MethodName>(
  method: M,
  params: MethodParams<M>,
  options?: CallOptions,
) => Promise<MethodResult<M>>

const defaultTimeoutMs = 10_000
const firstRetryDelayMs = 20

/** Makes the function that sends calls; it connects at the first call. */
export function createCall(options: ConnectOptions = {}): Call {
  let lastId = 0
  return async (method, params, callOptions = {}) => {
    const id = String(++lastId)
    const line = JSON.stringify({ jsonrpc: '2.0', method, params, id })
    const timeoutMs = callOptions.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
    const reply = await withDeadline(method, timeoutMs, callOptions.signal, (signal) =>
      exchangeWithRetries(socketName(options), line, options.retries ?? 4, signal),
    )
    return checkReply(method, id, reply) as MethodResult<typeof method>
  }
}

function socketName(options: ConnectOptions): string {
  const name = options.socket ?? process.env['BRIDGE_SOCKET']
  if (name) return name
  throw new BridgeUnavailableError(
    'BRIDGE_SOCKET is not set',
    'it is set inside a deployment; elsewhere start `causeway serve` and pass {socket}',
  )
}

async function withDeadline(
  method: string,
  timeoutMs: number,
  outer: AbortSignal | undefined,
  run: (signal: AbortSignal) => Promise<string>,
): Promise<string> {
  const deadline = AbortSignal.timeout(timeoutMs)
  try {
    return await run(outer ? AbortSignal.any([outer, deadline]) : deadline)
  } catch (cause) {
    if (!deadline.aborted || outer?.aborted) throw cause
    throw new BridgeUnavailableError(
      `${method}: no answer within ${timeoutMs} ms`,
      'raise timeoutMs or look at the host',
      { cause },
    )
  }
}

/** Retries while nobody listens yet (ECONNREFUSED) or the host's queue is full (EAGAIN). */
async function exchangeWithRetries(
  name: string,
  line: string,
  retries: number,
  signal: AbortSignal,
): Promise<string> {
  for (let attempt = 0; ; attempt++) {
    try {
      return await exchange(name, line, signal)
    } catch (error) {
      if (!isSystemError(error)) throw error
      if (error.syscall !== 'connect') throw lost(error)
      if (!isWorthRetrying(error) || attempt >= retries) throw unreachable(name, error)
      const delayMs = Math.random() * firstRetryDelayMs * 2 ** attempt
      await pause(delayMs, undefined, { signal }).catch(() => signal.throwIfAborted())
    }
  }
}

function isSystemError(error: unknown): error is NodeJS.ErrnoException {
  return error instanceof Error && 'syscall' in error
}

function isWorthRetrying({ code }: NodeJS.ErrnoException): boolean {
  return code === 'ECONNREFUSED' || code === 'EAGAIN'
}

function lost(cause: Error): BridgeUnavailableError {
  return new BridgeUnavailableError(`the connection broke: ${cause.message}`, lostHint, { cause })
}

function unreachable(name: string, cause: unknown): BridgeUnavailableError {
  const hint =
    Number(process.versions.node.split('.')[0]) < 20
      ? 'Node 18 and older cannot reach abstract sockets; use Node 20.9 or later'
      : 'is the host running, and this process inside its deployment?'
  return new BridgeUnavailableError(`nobody answers on the abstract socket ${name}`, hint, {
    cause,
  })
}

/** The result of a reply; throws the error it carries. */
function checkReply(method: string, id: string, line: string): unknown {
  const reply = parseReply(method, line)
  // An error sent before the request was read (peer refused, busy) has id null.
  if (reply.error) throw new BridgeError(method, reply.error)
  if (reply.id !== id) {
    throw new BridgeProtocolError(
      `${method}: expected a reply with id "${id}", found ${shown(reply.id)}`,
    )
  }
  if (!isObject(reply.result)) {
    throw new BridgeProtocolError(
      `${method}: expected a result object, found ${shown(reply.result)}`,
    )
  }
  return reply.result
}

interface Reply {
  jsonrpc?: unknown
  id?: unknown
  result?: unknown
  error?: Partial<ErrorObject> | null
}

function parseReply(method: string, line: string): Reply {
  let reply: unknown
  try {
    reply = JSON.parse(line)
  } catch (cause) {
    throw new BridgeProtocolError(`${method}: expected JSON, found ${shown(line)}`, { cause })
  }
  if (!isObject(reply) || (reply as Reply).jsonrpc !== '2.0') {
    throw new BridgeProtocolError(`${method}: expected a JSON-RPC 2.0 reply, found ${shown(line)}`)
  }
  return reply
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80)
}
