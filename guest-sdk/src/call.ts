/** One call: waits for its turn, sends the request within its deadline, and reads the reply. @module */
import { checkCount, checkMs, checkObject, checkSignal, checkString } from './arguments.ts'
import { sendUntilHeard, untilAdmitted } from './attempts.ts'
import { withDeadline } from './deadline.ts'
import { BridgeUnavailableError } from './errors.ts'
import type { MethodName, MethodParams, MethodResult } from './protocol/index.ts'
import { createQueue } from './queue.ts'
import { resultIn } from './reply.ts'

/** Options of one call. */
export interface CallOptions {
  /** Ends the call early; it then rejects with the signal's reason. */
  signal?: AbortSignal
  /** Time for the whole call, ms: its turn, its retries, its answer. Default: the client's. */
  timeoutMs?: number
}

/** Options of a client. */
export interface ConnectOptions {
  /** Name of the abstract socket without the leading NUL. Default: `$BRIDGE_SOCKET`. */
  socket?: string
  /** Time for a whole call, ms: its turn, its retries, its answer. Default 10,000. */
  timeoutMs?: number
  /** Retries when nobody listens or the host's queue is full; nothing was sent then. Default 4. */
  retries?: number
}

/**
 * Sends one request and resolves with its result. At most 64 calls of a client are in flight; the
 * others wait for their turn. A call that the host refuses for a limit is sent again when the host
 * says, as long as its time allows.
 */
export type Call = <M extends MethodName>(
  method: M,
  params: MethodParams<M>,
  options?: CallOptions,
) => Promise<MethodResult<M>>

const defaultTimeoutMs = 10_000

// What a host serves at once: with more, it only refuses.
const maxInFlight = 64

/** Makes the function that sends calls; it connects at the first call. */
export function createCall(options: ConnectOptions = {}): Call {
  checkConnectOptions(options)
  const inTurn = createQueue(maxInFlight)
  let lastId = 0
  return async (method, params, callOptions = {}) => {
    checkString('method', method)
    checkCallOptions(callOptions)
    const id = String(++lastId)
    const line = JSON.stringify({ jsonrpc: '2.0', method, params, id })
    const timeoutMs = callOptions.timeoutMs ?? options.timeoutMs ?? defaultTimeoutMs
    let isSent = false
    const send = async (signal: AbortSignal) => {
      isSent = true
      const reply = await sendUntilHeard(socketName(options), line, options.retries ?? 4, signal)
      return resultIn(method, id, reply) as MethodResult<typeof method>
    }
    return withDeadline(
      timeoutMs,
      callOptions.signal,
      (deadline) =>
        inTurn(deadline.signal, () => untilAdmitted(() => send(deadline.signal), deadline)),
      (cause) => tooLate(method, timeoutMs, isSent, cause),
    )
  }
}

function checkConnectOptions(options: ConnectOptions): void {
  checkObject('options', options)
  if (options.socket !== undefined) checkString('socket', options.socket)
  checkMs('timeoutMs', options.timeoutMs)
  checkCount('retries', options.retries)
}

function checkCallOptions(options: CallOptions): void {
  checkObject('options', options)
  checkMs('timeoutMs', options.timeoutMs)
  checkSignal('signal', options.signal)
}

function socketName(options: ConnectOptions): string {
  const name = options.socket ?? process.env['BRIDGE_SOCKET']
  if (name) return name
  throw new BridgeUnavailableError(
    'BRIDGE_SOCKET is not set',
    'it is set inside a deployment; elsewhere start `causeway serve` and pass {socket}',
  )
}

function tooLate(
  method: string,
  timeoutMs: number,
  isSent: boolean,
  cause: unknown,
): BridgeUnavailableError {
  return isSent
    ? new BridgeUnavailableError(
        `${method}: no answer within ${timeoutMs} ms`,
        'raise timeoutMs or look at the host',
        { cause },
      )
    : new BridgeUnavailableError(
        `${method}: not sent within ${timeoutMs} ms, because ${maxInFlight} calls before it had no answer yet`,
        'raise timeoutMs or make fewer calls at once',
        { cause },
      )
}
