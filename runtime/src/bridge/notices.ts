/**
 * Error replies that need no look at the request: made once, sent by the engine.
 * @module
 */
import type { EngineNotices } from '@causeway/native'
import { peerRejected } from './admission.ts'
import { errorReply, RpcError } from './errors.ts'
import type { BridgeLimits } from './limits/limits.ts'

// Long enough for calls of the usual length to end, short enough not to be noticed.
const busyRetryMs = 50

/** The engine's replies under these limits. */
export function createNotices(limits: BridgeLimits): EngineNotices {
  return {
    lineTooLong: errorReply(tooLong(limits)),
    lineTooLate: errorReply(tooLate(limits)),
    tooManyConnections: errorReply(tooMany('open connections', limits.maxConnections)),
    buffersFull: errorReply(
      tooMany('bytes in unfinished lines and unsent replies', limits.maxBufferedBytes),
    ),
    peerRejected: errorReply(peerRejected()),
  }
}

/** A limit of the bridge as a whole was met; another call may find room. */
export function tooMany(what: string, limit: number): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `too many ${what} on this bridge (limit ${limit})`, {
    retryAfterMs: busyRetryMs,
  })
}

function tooLong({ maxLineBytes }: BridgeLimits): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `the request line is over ${maxLineBytes} bytes`, {
    details: { maxLineBytes },
  })
}

function tooLate({ lineTimeoutMs }: BridgeLimits): RpcError {
  return new RpcError('LIMIT_EXCEEDED', `no whole request line within ${lineTimeoutMs} ms`, {
    retryAfterMs: 0,
    details: { lineTimeoutMs },
  })
}
