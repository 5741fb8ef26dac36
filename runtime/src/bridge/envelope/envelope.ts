/**
 * Parses a line into a request. json-rpc-2.0 accepts what the specification forbids (id objects,
 * string params, a batch of one), so the shape is checked before it sees a request.
 * @module
 */
import { isUtf8 } from 'node:buffer'
import { RpcError } from '../errors.ts'
import { exactId, type ExactId } from './exact-id.ts'
import { jsonType } from '../params/json-type.ts'
import type { BridgeLimits } from '../limits/limits.ts'
import { isTooComplex } from './structure.ts'

/** A request with a valid shape; the method may not exist. */
export interface Envelope {
  method: string
  /** Positional; `[]` for absent and null; an object becomes the only element. */
  params: readonly unknown[]
  /** Undefined for a notification. */
  id: string | number | null | undefined
}

/** What a client that sends no request should do. */
export const oneLineHint = 'send one JSON object and a newline'

/** An invalid line: why, and the id for its reply. */
export interface RefusedLine {
  error: RpcError
  id: string | number | null
  /** The id's exact digits, when no JavaScript number can represent them. */
  exact?: ExactId | undefined
}

export type ParsedLine = { envelope: Envelope; exact?: ExactId | undefined } | RefusedLine

/**
 * Checks one request line, without its newline (DESIGN, Bridge: Envelope; JSON-RPC 2.0 §4).
 * @param line its text, or its bytes when they may not be valid UTF-8
 */
export function parseLine(
  line: string | Buffer,
  { maxStructure }: Pick<BridgeLimits, 'maxStructure'>,
): ParsedLine {
  if (typeof line !== 'string' && !isUtf8(line)) {
    return refuse(new RpcError('PARSE', 'the request line is not valid UTF-8'))
  }
  const text = line.toString()
  if (isTooComplex(text, maxStructure)) return refuse(tooComplex(maxStructure))
  try {
    return withExactId(text, JSON.parse(text))
  } catch {
    return refuse(notJson(text))
  }
}

function withExactId(text: string, value: unknown): ParsedLine {
  const exact = exactId(text, (value as { id?: unknown } | null)?.id)
  if (!exact) return parseEnvelope(value)
  return { ...parseEnvelope({ ...(value as object), id: exact.token }), exact }
}

function parseEnvelope(value: unknown): ParsedLine {
  if (Array.isArray(value)) {
    return invalid('a connection carries one request; a batch needs one connection each', null)
  }
  if (typeof value !== 'object' || value === null) {
    return invalid(`expected a request object, found ${jsonType(value)}`, null)
  }
  const { jsonrpc, method, params, id } = value as Record<string, unknown>
  if (!isId(id))
    return invalid(`id: expected a string, a finite number or null, found ${jsonType(id)}`, null)
  const replyId = id ?? null
  if (jsonrpc !== '2.0') return invalid(`jsonrpc: expected "2.0", found ${shown(jsonrpc)}`, replyId)
  if (typeof method !== 'string') {
    return invalid(`method: expected a string, found ${jsonType(method)}`, replyId)
  }
  const list = paramsList(params)
  if (!list)
    return invalid(`params: expected an array or an object, found ${jsonType(params)}`, replyId)
  return { envelope: { method, params: list, id } }
}

function paramsList(params: unknown): readonly unknown[] | undefined {
  if (params === undefined || params === null) return []
  if (Array.isArray(params)) return params as unknown[]
  return typeof params === 'object' ? [params] : undefined
}

function isId(id: unknown): id is string | number | null | undefined {
  return id === undefined || id === null || typeof id === 'string' || Number.isFinite(id)
}

function tooComplex(maxStructure: number): RpcError {
  const message = `the request line has over ${maxStructure} brackets, colons and commas`
  return new RpcError('LIMIT_EXCEEDED', message, { details: { maxStructure } })
}

function notJson(text: string): RpcError {
  if (/^(?:GET|POST|PUT|HEAD|OPTIONS|DELETE|PATCH|CONNECT) /.test(text)) {
    return new RpcError('PARSE', 'this socket speaks JSON-RPC 2.0 lines, found an HTTP request', {
      hint: oneLineHint,
    })
  }
  return new RpcError('PARSE', 'the request line is not valid JSON')
}

function invalid(message: string, id: string | number | null): ParsedLine {
  return refuse(new RpcError('INVALID_REQUEST', message), id)
}

function refuse(error: RpcError, id: string | number | null = null): ParsedLine {
  return { error, id }
}

function shown(value: unknown): string {
  return typeof value === 'string' ? JSON.stringify(value.slice(0, 40)) : jsonType(value)
}
