/**
 * Dispatches calls: request line → handler → reply line. Never throws, never rejects, and never
 * lets an exception's text out. A handler that returns at once is answered without a promise.
 * @module
 */
import type { ErrorObject, MethodName } from '@causeway/guest-sdk/protocol'
import type { JSONRPCResponse } from 'json-rpc-2.0'
import type { Logger } from '@causeway/service/log'
import { parseLine, type Envelope, type RefusedLine } from './envelope/envelope.ts'
import { restoreId, type ExactId } from './envelope/exact-id.ts'
import { errorReply, type RpcError } from './errors.ts'
import type { Gate } from './gate.ts'
import type { BridgeLimits } from './limits/limits.ts'
import {
  isMethodName,
  methodTable,
  type CallContext,
  type Handlers,
  type MethodClass,
} from './methods.ts'
import { ignoredParams, parseParams } from './params/params.ts'
import { failure, serialize, toWireError, type Outcome } from './reply-line.ts'
import { createQuota, type CallLimits, type Quota } from './limits/quota.ts'

/** One call, as an observer sees it. */
export interface CallRecord {
  /** As in the request. */
  method: string
  params: readonly unknown[]
  outcome: { result: unknown } | { error: { kind: string; message: string } }
  durationMs: number
}

export interface DispatchOptions {
  handlers: Handlers
  gate: Gate
  limits: CallLimits & Pick<BridgeLimits, 'maxStructure'>
  /** Rate tokens that a call of class `key` takes; default 1, more with a slow signer. */
  keyCost?: number
  log: Logger
  /** Sees every call with its params and result; must not throw. */
  observe?: (record: CallRecord) => void
}

/** The calling process. */
export interface Caller extends CallContext {
  /** Checks whether the process still belongs to the deployment; returns the refusal if not. */
  judgeAgain(): RpcError | undefined
}

/** Reply line without its newline; undefined for a notification. */
export type Answer = (
  line: string | Buffer,
  caller: Caller,
) => string | undefined | Promise<string | undefined>

/** A request in progress. */
interface Call {
  envelope: Envelope
  exact: ExactId | undefined
  caller: Caller
  /** 0 without an observer. */
  startedAt: number
}

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

/** An invalid line counts as a call of the cheapest class. */
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

/** Checks a call and runs its handler. @throws the refusal, or the handler's error */
function invoke<M extends MethodName>(
  { envelope: { method: name, params }, caller }: Call,
  { gate, handlers, log }: DispatchOptions,
  quota: Quota,
): unknown {
  const refusal = quota.take(classOf(name))
  if (refusal) throw refusal
  const method = gate(name) as M
  const parsed = parseParams(method, params)
  logIgnoredParams(method, params, log)
  const handler: Handlers[M] = handlers[method]
  const result: unknown = handler(caller, ...parsed)
  return result instanceof Promise ? quota.hold(method, result) : result
}

/** An unknown method counts as the cheapest class. */
function classOf(name: string): MethodClass {
  return isMethodName(name) ? methodTable[name].class : 'read'
}

// A job chooses the names, and could fill the log with them.
const maxLoggedNames = 8

/** Live clients send unknown params, which is no error; the log is for their authors. */
function logIgnoredParams(method: MethodName, params: readonly unknown[], log: Logger): void {
  if (params.length === 0 || !log.isLevelEnabled('debug')) return
  const ignored = ignoredParams(method, params)
  const names = ignored.slice(0, maxLoggedNames).map((name) => name.slice(0, 40))
  if (ignored.length > 0) log.debug({ method, count: ignored.length, names }, 'params ignored')
}

/** Builds the reply line; also for a notification, because observers see it. */
function finish(call: Call, outcome: Outcome, options: DispatchOptions): string | undefined {
  const { envelope, exact } = call
  const { response, text } = serialize(envelope, recheck(call, outcome), options.log)
  options.observe?.(record(call, response))
  if (envelope.id === undefined) return undefined
  return exact ? restoreId(text, exact) : text
}

/** The check at accept is outdated once a key has been used. */
function recheck({ envelope: { method }, caller }: Call, outcome: Outcome): Outcome {
  if (classOf(method) !== 'key') return outcome
  const error = caller.judgeAgain()
  return error ? { error } : outcome
}

function record({ envelope, startedAt }: Call, { result, error }: JSONRPCResponse): CallRecord {
  const { method, params } = envelope
  const durationMs = performance.now() - startedAt
  if (!error) return { method, params, outcome: { result: result as unknown }, durationMs }
  const { kind } = error.data as ErrorObject['data']
  return { method, params, outcome: { error: { kind, message: error.message } }, durationMs }
}
