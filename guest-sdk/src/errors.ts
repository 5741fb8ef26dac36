/** The errors that a call on the bridge can throw. @module */
import type { ErrorData, ErrorKind, ErrorObject } from './protocol/index.ts'

/**
 * The host answered with an error. `kind` is stable; `message` is for people, and has the method and
 * the hint.
 */
export class BridgeError extends Error {
  override readonly name = 'BridgeError'
  readonly method: string
  /** JSON-RPC code. */
  readonly code: number
  /** Absent when the host is another implementation that sends no `data.kind`. */
  readonly kind: ErrorKind | undefined
  readonly retryable: boolean
  readonly hint: string | undefined
  readonly details: Readonly<Record<string, unknown>> | undefined
  readonly retryAfterMs: number | undefined
  readonly requestId: string | undefined

  constructor(method: string, error: Partial<ErrorObject>) {
    const data: Partial<ErrorData> = error.data ?? {}
    super(messageOf(method, error.message, data.hint))
    this.method = method
    this.code = error.code ?? 0
    this.kind = data.kind
    this.retryable = data.retryable ?? false
    this.hint = data.hint
    this.details = data.details
    this.retryAfterMs = data.retryAfterMs
    this.requestId = data.requestId
  }
}

/** Some hosts begin their messages with the method. */
function messageOf(method: string, said = 'the host gave no message', hint?: string): string {
  const named = said.startsWith(`${method}: `) ? said : `${method}: ${said}`
  return hint === undefined ? named : `${named} (${hint})`
}

/** The host did not answer: no `BRIDGE_SOCKET`, connection refused, closed early, or too late. */
export class BridgeUnavailableError extends Error {
  override readonly name = 'BridgeUnavailableError'
  /** One sentence on what to do. */
  readonly hint: string

  constructor(message: string, hint: string, options?: ErrorOptions) {
    super(`${message} (${hint})`, options)
    this.hint = hint
  }
}

/** The host's answer is not a JSON-RPC 2.0 response to the request. */
export class BridgeProtocolError extends Error {
  override readonly name = 'BridgeProtocolError'
}
