/**
 * Line → call → reply line. Never rejects and never lets an exception's text out.
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { MethodName } from '@causeway/guest-sdk/protocol'
import {
  createJSONRPCErrorResponse,
  JSONRPCServer,
  type JSONRPCID,
  type JSONRPCResponse,
} from 'json-rpc-2.0'
import type { Logger } from 'pino'
import { parseLine, type Envelope } from './envelope.ts'
import { restoreId } from './exact-id.ts'
import { errorReply, RpcError, toErrorObject, toInternalErrorObject } from './errors.ts'
import { methodNames, type Gate } from './gate.ts'
import type { CallContext, Handlers } from './methods.ts'
import { ignoredParams, parseParams } from './params.ts'

/** What happened in one call, for whoever watches the bridge. */
export interface CallRecord {
  /** As the caller wrote it. */
  method: string
  params: readonly unknown[]
  outcome: { result: unknown } | { error: { kind: string; message: string } }
  durationMs: number
}

export interface DispatchOptions {
  handlers: Handlers
  gate: Gate
  log: Logger
  /** Sees every call with its params and result; must not throw. */
  observe?: (record: CallRecord) => void
}

/** Reply line without its newline; undefined for a notification. */
export type Answer = (line: Buffer, peer: CallContext['peer']) => Promise<string | undefined>

/** The function that answers one request line. */
export function createDispatch(options: DispatchOptions): Answer {
  const router = createRouter(options)
  return async (line, peer) => {
    const parsed = parseLine(line)
    const finish = (text: string) => (parsed.exact ? restoreId(text, parsed.exact) : text)
    if ('error' in parsed) return finish(errorReply(parsed.error, parsed.id))
    const { envelope } = parsed
    const started = performance.now()
    const context = { peer, requestId: randomUUID() }
    const called = await router.receive(toRequest(envelope), context)
    const { response, text } = serialize(called, envelope.method, context, options.log)
    observe(options, envelope, response, performance.now() - started)
    return envelope.id === undefined ? undefined : finish(text)
  }
}

/**
 * json-rpc-2.0 routes a checked request to its handler. Every row is registered under its wire
 * name; one catch-all name would lose its notification and error handling.
 */
function createRouter({ handlers, gate, log }: DispatchOptions): JSONRPCServer<CallContext> {
  const router = new JSONRPCServer<CallContext>({ errorListener: () => {} })
  router.applyMiddleware(async (next, request, context) => {
    try {
      gate(request.method)
      return await next(request, context)
    } catch (error) {
      return toErrorResponse(error, request.method, request.id ?? null, context, log)
    }
  })
  for (const name of methodNames) {
    router.addMethod(name, (params: unknown[], context) =>
      invoke(name, { handlers, log }, params, context),
    )
  }
  return router
}

// Names of a job's own choosing could fill the log.
const maxToldNames = 8

/** What live clients send too much is no error, but their authors may want to know. */
function tellIgnored(method: MethodName, params: readonly unknown[], log: Logger): void {
  if (!log.isLevelEnabled('debug')) return
  const ignored = ignoredParams(method, params)
  const names = ignored.slice(0, maxToldNames).map((name) => name.slice(0, 40))
  if (ignored.length > 0) log.debug({ method, count: ignored.length, names }, 'params ignored')
}

async function invoke<M extends MethodName>(
  method: M,
  { handlers, log }: Pick<DispatchOptions, 'handlers' | 'log'>,
  params: readonly unknown[],
  context: CallContext,
): Promise<unknown> {
  const handler: Handlers[M] = handlers[method]
  const parsed = parseParams(method, params)
  tellIgnored(method, params, log)
  const result: unknown = await handler(context, ...parsed)
  // json-rpc-2.0 would answer null, which no method may.
  if (result === undefined) throw new TypeError(`the handler of ${method} gave no result`)
  return result
}

/** A result that JSON cannot hold is an unexpected error like any other. */
function serialize(
  response: JSONRPCResponse | null,
  method: string,
  context: CallContext,
  log: Logger,
): { response: JSONRPCResponse | null; text: string } {
  try {
    return { response, text: JSON.stringify(response) }
  } catch (error) {
    const failed = toErrorResponse(error, method, response?.id ?? null, context, log)
    return { response: failed, text: JSON.stringify(failed) }
  }
}

function toErrorResponse(
  error: unknown,
  method: string,
  id: JSONRPCID,
  context: CallContext,
  log: Logger,
): JSONRPCResponse {
  const object =
    error instanceof RpcError ? toErrorObject(error) : toInternalErrorObject(context.requestId)
  if (!(error instanceof RpcError)) {
    log.error({ err: error, method, requestId: context.requestId }, 'unexpected error in a call')
  }
  return createJSONRPCErrorResponse(id, object.code, object.message, object.data)
}

/** A notification is called like any other request, so that it is observed; its reply is dropped. */
function toRequest({ method, params, id = null }: Envelope) {
  return { jsonrpc: '2.0', method, params, id } as const
}

function observe(
  { observe: see }: DispatchOptions,
  { method, params }: Envelope,
  response: JSONRPCResponse | null,
  durationMs: number,
): void {
  if (!see || !response) return
  const outcome = response.error
    ? {
        error: {
          kind: (response.error.data as { kind: string }).kind,
          message: response.error.message,
        },
      }
    : { result: response.result as unknown }
  see({ method, params, outcome, durationMs })
}
