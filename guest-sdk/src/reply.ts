/** Reads the reply to a call. @module */
import { BridgeError, BridgeProtocolError } from './errors.ts'
import type { ErrorObject } from './protocol/index.ts'

interface Reply {
  jsonrpc?: unknown
  id?: unknown
  result?: unknown
  error?: Partial<ErrorObject> | null
}

/** The result in a reply line. @throws the error it carries; BridgeProtocolError for anything else */
export function resultIn(method: string, id: string, line: string): unknown {
  const reply = parseReply(method, line)
  // An error sent before the request was read (peer refused, busy) has id null.
  if (reply.error) throw new BridgeError(method, reply.error)
  if (reply.id !== id) {
    throw new BridgeProtocolError(
      `${method}: expected a reply with id "${id}", found ${shown(reply.id)}`,
    )
  }
  if (!isObject(reply.result)) {
    throw new BridgeProtocolError(
      `${method}: expected a result object, found ${shown(reply.result)}`,
    )
  }
  return reply.result
}

function parseReply(method: string, line: string): Reply {
  let reply: unknown
  try {
    reply = JSON.parse(line)
  } catch (cause) {
    throw new BridgeProtocolError(`${method}: expected JSON, found ${shown(line)}`, { cause })
  }
  if (!isObject(reply) || (reply as Reply).jsonrpc !== '2.0') {
    throw new BridgeProtocolError(`${method}: expected a JSON-RPC 2.0 reply, found ${shown(line)}`)
  }
  return reply
}

function isObject(value: unknown): value is object {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'nothing').slice(0, 80)
}
