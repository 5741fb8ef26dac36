import { describe, expect, it } from 'vitest'
import { errorCodes, type ErrorKind } from '@causeway/guest-sdk/protocol'
import {
  errorReply,
  RpcError,
  toErrorObject,
  toInternalErrorObject,
} from '../../../../runtime/src/bridge/errors.ts'
import { methodTable } from '../../../../runtime/src/bridge/methods.ts'

/** Every kind: a missing one does not compile. */
const table: { readonly [K in ErrorKind]: { code: number; retryable: boolean } } = {
  PARSE: { code: -32700, retryable: false },
  INVALID_REQUEST: { code: -32600, retryable: false },
  METHOD_NOT_FOUND: { code: -32601, retryable: false },
  INVALID_PARAMS: { code: -32602, retryable: false },
  UNSUPPORTED_CURVE: { code: -32602, retryable: false },
  BAD_DERIVATION_PATH: { code: -32602, retryable: false },
  BAD_DIGEST_LENGTH: { code: -32602, retryable: false },
  BAD_PUBLIC_KEY: { code: -32602, retryable: false },
  BAD_HOST: { code: -32602, retryable: false },
  INTERNAL: { code: -32603, retryable: false },
  PERMISSION_DENIED: { code: -32603, retryable: false },
  UNAVAILABLE: { code: -32603, retryable: true },
  DEADLINE_EXCEEDED: { code: -32603, retryable: true },
  DECRYPT_FAILED: { code: -32603, retryable: false },
  FAILED_PRECONDITION: { code: -32603, retryable: false },
  TXT_MISSING: { code: -32603, retryable: false },
  TXT_MISMATCH: { code: -32603, retryable: false },
  NO_ADDRESS: { code: -32603, retryable: false },
  PTR_MISSING: { code: -32603, retryable: false },
  PTR_TXT_MISSING: { code: -32603, retryable: false },
  PTR_TXT_MISMATCH: { code: -32603, retryable: false },
  RESOLVER_FAILED: { code: -32603, retryable: true },
  PEER_REJECTED: { code: -32001, retryable: false },
  LIMIT_EXCEEDED: { code: -32005, retryable: false },
}

describe('error kinds', () => {
  it('are exactly the ones in the table', () => {
    expect(Object.keys(errorCodes).sort()).toEqual(Object.keys(table).sort())
  })

  it.each(Object.entries(table))('%s', (kind, { code, retryable }) => {
    expect(toErrorObject(new RpcError(kind as ErrorKind, 'what happened'))).toStrictEqual({
      code,
      message: 'what happened',
      data: { kind, retryable },
    })
  })

  it('rows of the method table name only kinds with code -32602 or -32603', () => {
    const kinds = Object.values(methodTable).flatMap(({ errors }) => errors)
    expect(kinds.filter((kind) => ![-32602, -32603].includes(errorCodes[kind]))).toEqual([])
  })
})

describe('wire form', () => {
  it('carries every option and never the cause', () => {
    const error = new RpcError('LIMIT_EXCEEDED', 'busy', {
      hint: 'wait',
      details: { limit: 1 },
      retryAfterMs: 50,
      cause: new Error('/secret/path'),
    })
    expect(toErrorObject(error)).toStrictEqual({
      code: -32005,
      message: 'busy',
      data: {
        kind: 'LIMIT_EXCEEDED',
        retryable: true,
        hint: 'wait',
        details: { limit: 1 },
        retryAfterMs: 50,
      },
    })
  })

  it('keeps the cause for the host', () => {
    const cause = new Error('why')
    expect(new RpcError('INTERNAL', 'x', { cause }).cause).toBe(cause)
  })

  it('of an unexpected exception is constant except for the request id', () => {
    expect(toInternalErrorObject('42')).toStrictEqual({
      code: -32603,
      message: 'internal error',
      data: { kind: 'INTERNAL', retryable: false, requestId: '42' },
    })
  })

  it.each([{ id: undefined }, { id: null }])('before a request: id $id is null', ({ id }) => {
    expect(errorReply(new RpcError('PARSE', 'x'), id)).toBe(
      '{"jsonrpc":"2.0","error":{"code":-32700,"message":"x","data":{"kind":"PARSE","retryable":false}},"id":null}',
    )
  })

  it.each(['a', 0, 7])('before a request: id %j is echoed', (id) => {
    expect(JSON.parse(errorReply(new RpcError('PARSE', 'x'), id))).toMatchObject({ id })
  })
})
