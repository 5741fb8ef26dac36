/**
 * Checks and converts params for handlers. As lenient as live clients need: null for an optional
 * field means absent; unknown fields and extra array elements are ignored.
 * @module
 */
import type { MethodName, MethodParams } from '@causeway/guest-sdk/protocol'
import { errorCodes, type ErrorKind } from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import { RpcError } from '../errors.ts'
import { describeBadHex } from '../hex.ts'
import { jsonType } from './json-type.ts'
import { methodTable } from '../methods.ts'

// Params of the contract are at most two objects deep; hostile depth must not cause recursion.
const maxNullDepth = 4

/** Checks params against the method's row. @throws RpcError naming the field */
export function parseParams<M extends MethodName>(
  method: M,
  params: readonly unknown[],
): MethodParams<M> {
  const schema: v.GenericSchema<unknown, MethodParams<M>> = methodTable[method].params
  const result = v.safeParse(
    schema,
    params.map((value) => withoutNulls(value, 0)),
    {
      abortEarly: true,
    },
  )
  if (result.success) return result.output
  throw toRpcError(method, result.issues[0])
}

/** Names of fields and indexes of elements that {@link parseParams} ignores. */
export function ignoredParams(method: MethodName, params: readonly unknown[]): string[] {
  const { items } = methodTable[method].params as unknown as v.TupleSchema<[], undefined>
  return params.flatMap((value, index) => {
    const schema = (items as readonly { entries?: object }[])[index]
    if (!schema) return [`[${index}]`]
    const known = schema.entries ?? {}
    return Object.keys(value as object).filter((field) => !Object.hasOwn(known, field))
  })
}

function withoutNulls(value: unknown, depth: number): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if (depth === maxNullDepth) return value
  const kept = Object.entries(value).filter(([, field]) => field !== null)
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutNulls(field, depth + 1)]))
}

function toRpcError(method: MethodName, issue: v.BaseIssue<unknown>): RpcError {
  const field = (v.getDotPath(issue) ?? '').replace(/^0\.?/, '')
  const kind = Object.hasOwn(errorCodes, issue.message)
    ? (issue.message as ErrorKind)
    : 'INVALID_PARAMS'
  // valibot treats an array as an object without fields.
  const element = issue.path?.[1]?.input
  if (field === '' || Array.isArray(element)) {
    const found = jsonType(element ?? issue.input)
    return new RpcError(kind, `${method}: params: expected one object, found ${found}`)
  }
  return new RpcError(
    kind,
    `${method}: ${field}: expected ${expected(issue)}, found ${found(issue)}`,
    {
      details: { field },
    },
  )
}

function expected(issue: v.BaseIssue<unknown>): string {
  if (issue.type === 'regex') return 'hex digits of even length'
  if (isMissing(issue)) return 'a value'
  return issue.expected?.replace(/^\((.*)\)$/, '$1') ?? 'another value'
}

function found(issue: v.BaseIssue<unknown>): string {
  if (isMissing(issue)) return 'nothing'
  if (issue.type === 'regex') return describeBadHex(String(issue.input))
  // Only the value of a choice is shown: any other string may be a plaintext.
  if (issue.type === 'picklist' && typeof issue.input === 'string') {
    return JSON.stringify(issue.input.slice(0, 40))
  }
  return jsonType(issue.input)
}

function isMissing(issue: v.BaseIssue<unknown>): boolean {
  return issue.type === 'object' && issue.received === 'undefined'
}
