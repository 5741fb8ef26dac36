/**
 * Parses bytes as a response, by the rules of JSON-RPC 2.0 §5.
 * @module
 */
import type { Received } from './input.ts'
import { CheckFailed, expectThat, shown } from './outcome.ts'

/** Error object of a response. */
export interface ErrorObject {
  code: number
  message: string
  data?: Record<string, unknown>
}

/** A response of valid shape. */
export interface Response {
  id: unknown
  result?: unknown
  error?: ErrorObject
  /** The received line, without its newline. */
  text: string
}

/** Codes of JSON-RPC 2.0 §5.1, and Causeway's code for limits. */
export const codes = {
  parse: -32700,
  invalidRequest: -32600,
  methodNotFound: -32601,
  invalidParams: -32602,
  internalError: -32603,
  limitExceeded: -32005,
} as const

/** Parses the first line as a response. @throws CheckFailed when it is not one */
export function responseOf(received: Received): Response {
  const text = firstLine(received)
  const value = parseObject(text)
  expectThat(value['jsonrpc'] === '2.0', 'a response with "jsonrpc":"2.0"', text)
  expectThat(Object.hasOwn(value, 'id'), 'a response with an id', text)
  const response = { ...value, id: value['id'], text, ...errorMember(value, text) }
  const isAnswer = Object.hasOwn(value, 'result') || response.error !== undefined
  expectThat(isAnswer, 'a response with a result or an error', text)
  return response
}

/** The result of a call that must succeed. */
export function resultOf(received: Received): Record<string, unknown> {
  const { result, text } = responseOf(received)
  if (isObject(result)) return result
  throw new CheckFailed('a response with a result object', shown(text))
}

/** The error of a call that must fail. */
export function errorOf(received: Received): ErrorObject {
  const { error, text } = responseOf(received)
  if (error) return error
  throw new CheckFailed('an error response', shown(text))
}

/** Fails unless the error has the code and one of the ids. */
export function expectError(received: Received, code: number, ids: readonly unknown[]): void {
  const { id, error, text } = responseOf(received)
  expectThat(error?.code === code, `error code ${code}`, text)
  expectThat(ids.includes(id), `id ${ids.map(shown).join(' or ')}`, text)
}

/** Time until a retry, if the bridge gives one. */
export function retryAfterMs({ bytes }: Received): number | undefined {
  try {
    const { error } = JSON.parse(bytes.toString('utf8')) as { error?: ErrorObject }
    const wait = error?.code === codes.limitExceeded ? error.data?.['retryAfterMs'] : undefined
    return typeof wait === 'number' ? wait : undefined
  } catch {
    // Not one line of JSON: the check will report it.
    return undefined
  }
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true })

function firstLine({ bytes, end }: Received): string {
  const at = bytes.indexOf('\n')
  if (at >= 0) return textOf(bytes.subarray(0, at))
  const how = end === 'eof' ? 'closed' : `ended by ${end}`
  throw new CheckFailed('a reply line', `${shown(bytes)}, then ${how}`)
}

function textOf(line: Buffer): string {
  try {
    return utf8.decode(line)
  } catch {
    throw new CheckFailed('a line of UTF-8', shown(line))
  }
}

function parseObject(text: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(text)
    if (isObject(value)) return value
  } catch {
    // Falls through to the failure.
  }
  throw new CheckFailed('a line with one JSON object', shown(text))
}

/** Only one check judges a null error beside a result. */
function errorMember(value: Record<string, unknown>, text: string): { error?: ErrorObject } {
  const error = value['error'] ?? undefined
  if (error === undefined) return {}
  const isError =
    isObject(error) && Number.isInteger(error['code']) && typeof error['message'] === 'string'
  expectThat(isError, 'an error object with an integer code and a message', text)
  return { error: error as unknown as ErrorObject }
}
