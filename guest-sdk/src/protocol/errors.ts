/**
 * What can go wrong on the bridge. The five standard codes carry almost everything, because
 * clients in the field switch on them; what really happened is in `data.kind`.
 * @module
 */

/** JSON-RPC 2.0 code of every error kind. Two codes are added to the standard five. */
export const errorCodes = {
  PARSE: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,

  INVALID_PARAMS: -32602,
  UNSUPPORTED_CURVE: -32602,
  BAD_DERIVATION_PATH: -32602,
  BAD_DIGEST_LENGTH: -32602,
  BAD_PUBLIC_KEY: -32602,

  INTERNAL: -32603,
  PERMISSION_DENIED: -32603,
  UNAVAILABLE: -32603,
  DEADLINE_EXCEEDED: -32603,
  DECRYPT_FAILED: -32603,

  PEER_REJECTED: -32001,
  LIMIT_EXCEEDED: -32005,
} as const

/** Stable name of what went wrong; programs switch on it. */
export type ErrorKind = keyof typeof errorCodes

/** `error.data` of every failed call. */
export interface ErrorData {
  kind: ErrorKind
  /** Whether the same call may succeed later without a change. */
  retryable: boolean
  /** One sentence on what to do about it. */
  hint?: string
  /** Facts for programs, such as `{since: "1.26.0"}` or `{field: "salt"}`. */
  details?: Record<string, unknown>
  /** Earliest time for another try, in ms from now. */
  retryAfterMs?: number
  /** Finds the host's log line of an `INTERNAL` error. */
  requestId?: string
}

/** JSON-RPC error object; `message` alone makes sense to a person. */
export interface ErrorObject {
  code: number
  message: string
  data: ErrorData
}
