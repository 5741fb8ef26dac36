/**
 * What every client may rely on in a reply, worked out from the line alone.
 * @module
 */
import { isUtf8 } from 'node:buffer'
import { errorCodes, type ErrorData, type ErrorObject } from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import { isMethodName, methodTable } from '../../../runtime/src/bridge/methods.ts'
import { noLimits } from '../../../runtime/src/bridge/limits/limits.ts'

type Id = string | number | null

/** What a line asks for, as far as the reply's form goes. */
interface Asked {
  notification: boolean
  /** What the reply must carry. */
  id: Id
  method?: string
  /** More brackets, colons and commas than a request may have. */
  isTooComplex?: boolean
}

/** @throws Error saying what is wrong with the reply */
export function checkReply(line: Buffer, reply: string | undefined): void {
  const asked = readLine(line)
  if (reply === undefined) return expectThat(asked.notification, 'a reply is missing')
  expectThat(!asked.notification, 'a notification is answered')
  expectThat(!/[\r\n]/.test(reply), 'the reply is more than one line')
  const { jsonrpc, id, result, error, ...more } = JSON.parse(reply) as Record<string, unknown>
  expectThat(jsonrpc === '2.0', 'jsonrpc is not "2.0"')
  expectThat(Object.keys(more).length === 0, `the reply has ${Object.keys(more).join()}`)
  expectThat(id === asked.id, `id ${JSON.stringify(asked.id)} came back as ${JSON.stringify(id)}`)
  expectThat((result === undefined) !== (error === undefined), 'not one of result and error')
  expectThat(isCompact(reply, asked.id), 'the reply has blanks between tokens')
  if (error === undefined) checkResult(asked, result)
  else checkError(asked, error as ErrorObject)
}

function readLine(line: Buffer): Asked {
  if (structureOf(line.toString()) > noLimits.maxStructure)
    return { ...nothingAsked, isTooComplex: true }
  const value = isUtf8(line) ? parsed(line.toString()) : undefined
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return nothingAsked
  const { jsonrpc, method, params, id } = value as Record<string, unknown>
  if (!isId(id)) return nothingAsked
  const isRequest =
    jsonrpc === '2.0' && typeof method === 'string' && typeof (params ?? []) === 'object'
  const notification = isRequest && id === undefined
  return { notification, id: id ?? null, ...(isRequest && { method }) }
}

const nothingAsked: Asked = { notification: false, id: null }

function structureOf(text: string): number {
  const outsideStrings = text.replace(/"(?:[^"\\]|\\.)*(?:"|$)/gs, '')
  return outsideStrings.match(/[[\]{}:,]/g)?.length ?? 0
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

function isId(id: unknown): id is Id | undefined {
  return id === null || ['undefined', 'string'].includes(typeof id) || Number.isFinite(id)
}

function isCompact(reply: string, id: Id): boolean {
  // The digits of such an id are kept, which no JavaScript number can.
  if (typeof id === 'number' && !Number.isSafeInteger(id)) return true
  return JSON.stringify(JSON.parse(reply)) === reply
}

function checkResult({ method = '' }: Asked, result: unknown): void {
  if (!isMethodName(method)) throw new Error(`${JSON.stringify(method)} has a result`)
  expectThat(v.is(methodTable[method].result, result), `${method} gave ${JSON.stringify(result)}`)
}

// What an exception's text or stack would bring along.
const hostTraces = [process.cwd(), 'node_modules', 'node:internal', 'file://', '\n    at ']

function checkError(asked: Asked, { code, message, data, ...more }: ErrorObject): void {
  const { kind, retryable } = data as Partial<ErrorData>
  expectThat(Object.keys(more).length === 0, `the error has ${Object.keys(more).join()}`)
  expectThat(kind !== undefined && errorCodes[kind] === code, `code ${code} with kind ${kind}`)
  expectThat(typeof retryable === 'boolean', 'retryable is no boolean')
  expectThat(typeof message === 'string' && message !== '', 'the error has no message')
  const text = JSON.stringify([message, data]) + message
  expectThat(!hostTraces.some((trace) => text.includes(trace)), `the error tells ${text}`)
  // A caller can do nothing wrong that is not a kind of its own, and these tests run without limits.
  expectThat(kind !== 'INTERNAL', 'the call failed')
  expectThat((kind === 'LIMIT_EXCEEDED') === (asked.isTooComplex ?? false), `found ${kind}`)
}

function expectThat(holds: boolean, otherwise: string): void {
  if (!holds) throw new Error(otherwise)
}
