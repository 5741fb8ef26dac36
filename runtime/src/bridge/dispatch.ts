/**
 * Line → call → reply line. Never throws, never rejects and never lets an exception's text out.
 * A handler that answers at once is answered at once: no promise is made on the way.
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { ErrorObject, MethodName } from '@causeway/guest-sdk/protocol'
import {
  createJSONRPCErrorResponse,
  createJSONRPCSuccessResponse,
  type JSONRPCID,
  type JSONRPCResponse,
} from 'json-rpc-2.0'
import type { Logger } from '@causeway/service/log'
import { parseLine, type Envelope, type RefusedLine } from './envelope/envelope.ts'
import { restoreId, type ExactId } from './envelope/exact-id.ts'
import { errorReply, RpcError, toErrorObject, toInternalErrorObject } from './errors.ts'
import type { Gate } from './gate.ts'
import type { BridgeLimits } from './limits/limits.ts'
import {
  isMethodName,
  methodTable,
  type CallContext,
  type Handlers,
  type MethodClass,
} from './methods.ts'
import { ignoredParams, parseParams } from './params.ts'
import { createQuota, type CallLimits, type Quota } from './limits/quota.ts'

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
  limits: CallLimits & Pick<BridgeLimits, 'maxStructure'>
  /** What a call of class `key` takes of its rate limit, default 1; more where the signer is slow. */
  keyCost?: number
  log: Logger
  /** Sees every call with its params and result; must not throw. */
  observe?: (record: CallRecord) => void
}

/** Who is calling. */
export interface Caller extends CallContext {
  /** Looks again whether the process still belongs to the deployment; the refusal if not. */
  judgeAgain(): RpcError | undefined
}

/** Reply line without its newline; undefined for a notification. */
export type Answer = (
  line: string | Buffer,
  caller: Caller,
) => string | undefined | Promise<string | undefined>

/** One request on its way. */
interface Call {
  envelope: Envelope
  exact: ExactId | undefined
  caller: Caller
  /** 0 when nobody watches. */
  startedAt: number
}

/** What a handler gave or threw. */
type Outcome = { result: unknown } | { error: unknown }

/** The function that answers one request line. */
export function createDispatch(options: DispatchOptions): Answer {
  const answer = createAnswer(options)
  const failed = (error: unknown) => failure(null, toWireError(error, '', options.log)).text
  return (line, caller) => {
    try {
      const answered = answer(line, caller)
      return answered instanceof Promise ? answered.catch(failed) : answered
    } catch (error) {
      return failed(error)
    }
  }
}

function createAnswer(options: DispatchOptions): Answer {
  const quota = createQuota(options.limits, options.keyCost)
  return (line, caller) => {
    const refusal = quota.takeLine(line.length)
    if (refusal) return errorReply(refusal)
    const parsed = parseLine(line, options.limits)
    if ('error' in parsed) return refuseLine(parsed, quota)
    const { envelope, exact } = parsed
    const startedAt = options.observe ? performance.now() : 0
    return answerCall({ envelope, exact, caller, startedAt }, options, quota)
  }
}

/** A line that is no request costs as much as the cheapest call, and counts as one. */
function refuseLine({ error, id, exact }: RefusedLine, quota: Quota): string {
  const text = errorReply(quota.take('read') ?? error, id)
  return exact ? restoreId(text, exact) : text
}

function answerCall(call: Call, options: DispatchOptions, quota: Quota): ReturnType<Answer> {
  const outcome = run(call, options, quota)
  return outcome instanceof Promise
    ? outcome.then((settled) => finish(call, settled, options))
    : finish(call, outcome, options)
}

function run(call: Call, options: DispatchOptions, quota: Quota): Outcome | Promise<Outcome> {
  try {
    const result = invoke(call, options, quota)
    if (!(result instanceof Promise)) return { result }
    return result.then(
      (value: unknown) => ({ result: value }),
      (error: unknown) => ({ error }),
    )
  } catch (error) {
    return { error }
  }
}

/** From the wire name to the handler's result. @throws whatever refuses the call or fails in it */
function invoke<M extends MethodName>(
  { envelope: { method: name, params }, caller }: Call,
  { gate, handlers, log }: DispatchOptions,
  quota: Quota,
): unknown {
  const refusal = quota.take(classOf(name))
  if (refusal) throw refusal
  const method = gate(name) as M
  const parsed = parseParams(method, params)
  tellIgnored(method, params, log)
  const handler: Handlers[M] = handlers[method]
  const result: unknown = handler(caller, ...parsed)
  return result instanceof Promise ? quota.hold(method, result) : result
}

/** What is no method costs as much as the cheapest one. */
function classOf(name: string): MethodClass {
  return isMethodName(name) ? methodTable[name].class : 'read'
}

// Names of a job's own choosing could fill the log.
const maxToldNames = 8

/** What live clients send too much is no error, but their authors may want to know. */
function tellIgnored(method: MethodName, params: readonly unknown[], log: Logger): void {
  if (params.length === 0 || !log.isLevelEnabled('debug')) return
  const ignored = ignoredParams(method, params)
  const names = ignored.slice(0, maxToldNames).map((name) => name.slice(0, 40))
  if (ignored.length > 0) log.debug({ method, count: ignored.length, names }, 'params ignored')
}

/** The reply line. A notification is answered like any other call, so that it is observed. */
function finish(call: Call, outcome: Outcome, options: DispatchOptions): string | undefined {
  const { envelope, exact } = call
  const { response, text } = serialize(call, recheck(call, outcome), options.log)
  options.observe?.(record(call, response))
  if (envelope.id === undefined) return undefined
  return exact ? restoreId(text, exact) : text
}

/** The kernel's word at accept is old by the time a key has been used. */
function recheck({ envelope: { method }, caller }: Call, outcome: Outcome): Outcome {
  if (classOf(method) !== 'key') return outcome
  const error = caller.judgeAgain()
  return error ? { error } : outcome
}

/** A result that JSON cannot hold, and none at all, are unexpected errors like any other. */
function serialize(call: Call, outcome: Outcome, log: Logger) {
  const id = call.envelope.id ?? null
  const { method } = call.envelope
  if ('error' in outcome) return failure(id, toWireError(outcome.error, method, log))
  try {
    if (outcome.result === undefined) throw new TypeError('the handler gave no result')
    const response = createJSONRPCSuccessResponse(id, outcome.result)
    return { response, text: JSON.stringify(response) }
  } catch (error) {
    return failure(id, toWireError(error, method, log))
  }
}

function failure(id: JSONRPCID, { code, message, data }: ErrorObject) {
  const response = createJSONRPCErrorResponse(id, code, message, data)
  return { response, text: JSON.stringify(response) }
}

function toWireError(error: unknown, method: string, log: Logger): ErrorObject {
  if (error instanceof RpcError) return toErrorObject(error)
  const requestId = randomUUID()
  log.error({ err: error, method, requestId }, 'unexpected error in a call')
  return toInternalErrorObject(requestId)
}

function record({ envelope, startedAt }: Call, { result, error }: JSONRPCResponse): CallRecord {
  const { method, params } = envelope
  const durationMs = performance.now() - startedAt
  if (!error) return { method, params, outcome: { result: result as unknown }, durationMs }
  const { kind } = error.data as ErrorObject['data']
  return { method, params, outcome: { error: { kind, message: error.message } }, durationMs }
}
