/**
 * How a call fails: an RpcError says what the caller can act on; everything else is INTERNAL.
 * @module
 */
import {
  errorCodes,
  errorFacts,
  type ErrorData,
  type ErrorKind,
  type ErrorObject,
} from '@causeway/guest-sdk/protocol'

/** Optional parts of an RpcError. */
export interface RpcErrorOptions extends ErrorOptions {
  /** One sentence on what the caller can do. */
  hint?: string
  /** Facts for programs; never host paths, key bytes or plaintext. */
  details?: Record<string, unknown>
  /** Earliest time for another try, in ms from now. */
  retryAfterMs?: number
}

/** Thrown by handlers for what the caller can act on; `message` goes to the caller as it is. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly kind: ErrorKind
  readonly options: RpcErrorOptions

  constructor(kind: ErrorKind, message: string, options: RpcErrorOptions = {}) {
    super(message, options)
    this.kind = kind
    this.options = options
  }
}

/** The wire form of an RpcError. */
export function toErrorObject(error: RpcError): ErrorObject {
  const { hint, details, retryAfterMs } = error.options
  const data: ErrorData = {
    kind: error.kind,
    // A limit is worth another try only where the error says when: a line stays too long for ever.
    retryable: errorFacts[error.kind].retry === 'yes' || retryAfterMs !== undefined,
    ...(hint !== undefined && { hint }),
    ...(details !== undefined && { details }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  return { code: errorCodes[error.kind], message: error.message, data }
}

/** The wire form of an exception nobody expected: no text, no stack; the id finds the log line. */
export function toInternalErrorObject(requestId: string): ErrorObject {
  return {
    code: errorCodes.INTERNAL,
    message: 'internal error',
    data: { kind: 'INTERNAL', retryable: false, requestId },
  }
}

/** A whole reply line without its newline, for failures that come before there is a request. */
export function errorReply(error: RpcError, id: string | number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: toErrorObject(error), id })
}
