/**
 * Errors of calls: an RpcError says what the caller can act on; everything else is INTERNAL.
 * @module
 */
import {
  errorCodes,
  errorFacts,
  type ErrorData,
  type ErrorKind,
  type ErrorObject,
} from '@causeway/guest-sdk/protocol'

export interface RpcErrorOptions extends ErrorOptions {
  /** One sentence on what the caller can do. */
  hint?: string
  /** Facts for programs; never host paths, key bytes or plaintext. */
  details?: Record<string, unknown>
  /** Earliest time for a retry, in ms from now. */
  retryAfterMs?: number
}

/** Handlers throw it for errors that a caller can act on; `message` is sent as it is. */
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

export function toErrorObject(error: RpcError): ErrorObject {
  const { hint, details, retryAfterMs } = error.options
  const data: ErrorData = {
    kind: error.kind,
    // Retrying helps against a limit only if the error says when: a line stays too long forever.
    retryable: errorFacts[error.kind].retry === 'yes' || retryAfterMs !== undefined,
    ...(hint !== undefined && { hint }),
    ...(details !== undefined && { details }),
    ...(retryAfterMs !== undefined && { retryAfterMs }),
  }
  return { code: errorCodes[error.kind], message: error.message, data }
}

/** The wire form of an unexpected exception: no text, no stack; the id refers to the log line. */
export function toInternalErrorObject(requestId: string): ErrorObject {
  return {
    code: errorCodes.INTERNAL,
    message: 'internal error',
    data: { kind: 'INTERNAL', retryable: false, requestId },
  }
}

/** A reply line without its newline, for errors that occur before a request is parsed. */
export function errorReply(error: RpcError, id: string | number | null = null): string {
  return JSON.stringify({ jsonrpc: '2.0', error: toErrorObject(error), id })
}
