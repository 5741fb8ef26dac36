/**
 * Turns the outcome of a call into its reply line.
 * @module
 */
import { randomUUID } from 'node:crypto'
import type { ErrorObject } from '@causeway/guest-sdk/protocol'
import {
  createJSONRPCErrorResponse,
  createJSONRPCSuccessResponse,
  type JSONRPCID,
} from 'json-rpc-2.0'
import type { Logger } from '@causeway/service/log'
import type { Envelope } from './envelope/envelope.ts'
import { RpcError, toErrorObject, toInternalErrorObject } from './errors.ts'

/** The result that a handler returned, or the error that it threw. */
export type Outcome = { result: unknown } | { error: unknown }

/** A missing result, or one that JSON cannot represent, is an internal error. */
export function serialize({ id: given, method }: Envelope, outcome: Outcome, log: Logger) {
  const id = given ?? null
  if ('error' in outcome) return failure(id, toWireError(outcome.error, method, log))
  try {
    if (outcome.result === undefined) throw new TypeError('the handler returned no result')
    const response = createJSONRPCSuccessResponse(id, outcome.result)
    return { response, text: JSON.stringify(response) }
  } catch (error) {
    return failure(id, toWireError(error, method, log))
  }
}

export function failure(id: JSONRPCID, { code, message, data }: ErrorObject) {
  const response = createJSONRPCErrorResponse(id, code, message, data)
  return { response, text: JSON.stringify(response) }
}

export function toWireError(error: unknown, method: string, log: Logger): ErrorObject {
  if (error instanceof RpcError) return toErrorObject(error)
  const requestId = randomUUID()
  log.error({ err: error, method, requestId }, 'unexpected error in a call')
  return toInternalErrorObject(requestId)
}
