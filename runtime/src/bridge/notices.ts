/** Error replies that the engine sends without parsing a request; made once. @module */
import type { EngineNotices } from '@causeway/native'
import { peerRejected } from './admission.ts'
import { oneLineHint } from './envelope/envelope.ts'
import { errorReply, RpcError } from './errors.ts'
import type { BridgeLimits } from './limits/limits.ts'

// Most calls have ended after this time, and a client does not notice the pause.
const busyRetryMs = 50

export function createNotices(limits: BridgeLimits): EngineNotices {
  return {
    lineTooLong: errorReply(tooLong(limits)),
    lineTooLate: errorReply(tooLate(limits)),
    onlyBlankLines: errorReply(onlyBlankLines()),
    tooManyConnections: errorReply(tooMany('open connections', limits.maxConnections)),
    buffersFull: errorReply(
      tooMany('bytes in unfinished lines and unsent replies', limits.maxBufferedBytes),
    ),
    peerRejected: errorReply(peerRejected()),
  }
}

function onlyBlankLines(): RpcError {
  return new RpcError('PARSE', 'expected a request, found only blank lines', { hint: oneLineHint })
}

/** Error for a limit of the whole bridge; another call may succeed soon. */
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
