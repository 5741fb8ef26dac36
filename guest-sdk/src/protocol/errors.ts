/**
 * The errors of the bridge. Almost all use the five standard codes, because existing clients switch
 * on them; `data.kind` has the precise reason.
 * @module
 */

/** JSON-RPC 2.0 code of every error kind: the standard five and two more. */
export const errorCodes = {
  PARSE: -32700,
  INVALID_REQUEST: -32600,
  METHOD_NOT_FOUND: -32601,

  INVALID_PARAMS: -32602,
  UNSUPPORTED_CURVE: -32602,
  BAD_DERIVATION_PATH: -32602,
  BAD_DIGEST_LENGTH: -32602,
  BAD_PUBLIC_KEY: -32602,
  BAD_HOST: -32602,

  INTERNAL: -32603,
  PERMISSION_DENIED: -32603,
  UNAVAILABLE: -32603,
  DEADLINE_EXCEEDED: -32603,
  DECRYPT_FAILED: -32603,
  FAILED_PRECONDITION: -32603,
  TXT_MISSING: -32603,
  TXT_MISMATCH: -32603,
  NO_ADDRESS: -32603,
  PTR_MISSING: -32603,
  PTR_TXT_MISSING: -32603,
  PTR_TXT_MISMATCH: -32603,
  RESOLVER_FAILED: -32603,

  PEER_REJECTED: -32001,
  LIMIT_EXCEEDED: -32005,
} as const

/** Stable name of an error; programs switch on it. */
export type ErrorKind = keyof typeof errorCodes

/** Facts about an error kind that are equal on every host. */
export interface ErrorFacts {
  /** One sentence: when a call fails with this kind. */
  when: string
  /** Whether the same call may succeed later; `after`: if the error has `retryAfterMs`. */
  retry: 'no' | 'yes' | 'after'
}

export const errorFacts: { readonly [K in ErrorKind]: ErrorFacts } = {
  PARSE: { when: 'The request line is not valid JSON in UTF-8.', retry: 'no' },
  INVALID_REQUEST: {
    when: 'The line is JSON but not one JSON-RPC 2.0 request; a batch is refused, too.',
    retry: 'no',
  },
  METHOD_NOT_FOUND: {
    when: 'There is no such method, or it needs a higher bridge level (`data.details.since`).',
    retry: 'no',
  },
  INVALID_PARAMS: {
    when: 'A field is missing or has the wrong form; `data.details.field` names it.',
    retry: 'no',
  },
  UNSUPPORTED_CURVE: { when: 'The method does not work on this curve.', retry: 'no' },
  BAD_DERIVATION_PATH: {
    when: 'The path is malformed, over 10 steps deep, or not on secp256k1.',
    retry: 'no',
  },
  BAD_DIGEST_LENGTH: {
    when: 'p256 and secp256k1 sign a digest of exactly 32 bytes; these bytes are not 32.',
    retry: 'no',
  },
  BAD_PUBLIC_KEY: {
    when: "The peer's key is not a point of the curve in 33 or 65 bytes.",
    retry: 'no',
  },
  BAD_HOST: {
    when: 'The host is not a bare hostname: it has a scheme, port or path, is an address, or breaks the rules of names.',
    retry: 'no',
  },
  INTERNAL: {
    when: 'The host failed unexpectedly; `data.requestId` finds the line in its log.',
    retry: 'no',
  },
  PERMISSION_DENIED: { when: "The deployment's policy does not grant the method.", retry: 'no' },
  UNAVAILABLE: { when: 'The bridge stopped before the call was answered.', retry: 'yes' },
  DEADLINE_EXCEEDED: {
    when: "The call was not answered within the deadline of the method's class.",
    retry: 'yes',
  },
  DECRYPT_FAILED: {
    when: 'These bytes are not what this peer encrypted with this salt; every cause gives the same error.',
    retry: 'no',
  },
  FAILED_PRECONDITION: {
    when: 'A precondition of the call is not met; the message names it.',
    retry: 'no',
  },
  TXT_MISSING: {
    when: '`_acu.<host>` has no TXT record.',
    retry: 'no',
  },
  TXT_MISMATCH: {
    when: '`_acu.<host>` has TXT records, but none for this owner and this host.',
    retry: 'no',
  },
  NO_ADDRESS: {
    when: 'The host has neither A nor AAAA records that may be admitted.',
    retry: 'no',
  },
  PTR_MISSING: {
    when: 'An address of the host points back to no host name (PTR), and no other address passes.',
    retry: 'no',
  },
  PTR_TXT_MISSING: {
    when: 'The name that an address points back to has no TXT record at `_acu.<ptr_hostname>`.',
    retry: 'no',
  },
  PTR_TXT_MISMATCH: {
    when: '`_acu.<ptr_hostname>` has TXT records, but none for this owner and this name.',
    retry: 'no',
  },
  RESOLVER_FAILED: {
    when: "The host's resolvers did not answer or failed; whether the records exist is unknown.",
    retry: 'yes',
  },
  PEER_REJECTED: {
    when: 'The calling process does not belong to the deployment.',
    retry: 'no',
  },
  LIMIT_EXCEEDED: {
    when: "A limit was reached: of a line's size, structure or time, connections, calls at once, calls a second or whitelisted hosts.",
    retry: 'after',
  },
}

/** `error.data` of every failed call. */
export interface ErrorData {
  kind: ErrorKind
  /** Whether the same call may succeed later without a change. */
  retryable: boolean
  /** One sentence on what to do. */
  hint?: string
  /** Facts for programs, such as `{since: "1.26.0"}` or `{field: "salt"}`. */
  details?: Record<string, unknown>
  /** Earliest time for a retry, in ms from now. */
  retryAfterMs?: number
  /** Identifies the host's log line of an `INTERNAL` error. */
  requestId?: string
}

/** JSON-RPC error object; a person can understand `message` alone. */
export interface ErrorObject {
  code: number
  message: string
  data: ErrorData
}
