/** Quota of one deployment's calls: rate and deadline by class, and calls in flight. @module */
import type { MethodName } from '@causeway/guest-sdk/protocol'
import { RpcError } from '../errors.ts'
import type { BridgeLimits } from './limits.ts'
import { methodClasses, methodTable, type MethodClass } from '../methods.ts'
import { tooMany } from '../notices.ts'
import { createTokenBucket, type TakeTokens } from './token-bucket.ts'

export type CallLimits = Pick<BridgeLimits, MethodClass | 'maxInFlight'>

export interface Quota {
  /** Counts a long line, before it is parsed. @returns the refusal when it exceeds the rate */
  takeLine(bytes: number): RpcError | undefined
  /** Counts a call of the class. @returns the refusal when it exceeds a limit */
  take(methodClass: MethodClass): RpcError | undefined
  /**
   * Adds the deadline to a pending result: it rejects with DEADLINE_EXCEEDED. The call stays in
   * flight until its work ends, because that still uses the host.
   */
  hold(method: MethodName, pending: Promise<unknown>): Promise<unknown>
}

// Parsing this many bytes takes about as long as a whole call of class `read`.
const bytesOfOneCall = 4096

/** @param keyCost tokens that a call of class `key` takes, 1 or more */
export function createQuota(limits: CallLimits, keyCost = 1): Quota {
  const buckets = new Map<MethodClass, TakeTokens>(
    methodClasses.map((name) => [name, createTokenBucket(limits[name])]),
  )
  let inFlight = 0
  return {
    takeLine(bytes) {
      if (bytes < bytesOfOneCall) return undefined
      const retryAfterMs = buckets.get('read')?.(bytes / bytesOfOneCall) ?? 0
      return retryAfterMs > 0 ? tooOften('read', limits.read.perSecond, retryAfterMs) : undefined
    },
    take(methodClass) {
      const cost = methodClass === 'key' ? keyCost : 1
      const retryAfterMs = buckets.get(methodClass)?.(cost) ?? 0
      if (retryAfterMs > 0)
        return tooOften(methodClass, limits[methodClass].perSecond, retryAfterMs)
      return inFlight < limits.maxInFlight
        ? undefined
        : tooMany('calls in flight', limits.maxInFlight)
    },
    hold(method, pending) {
      inFlight++
      const settled = () => void inFlight--
      pending.then(settled, settled)
      return withinDeadline(method, pending, limits[methodTable[method].class].deadlineMs)
    },
  }
}

function withinDeadline(
  method: MethodName,
  pending: Promise<unknown>,
  deadlineMs: number,
): Promise<unknown> {
  if (deadlineMs === Infinity) return pending
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => reject(tooSlow(method, deadlineMs)), deadlineMs)
    void pending.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

function tooOften(methodClass: MethodClass, perSecond: number, retryAfterMs: number): RpcError {
  const message = `too many calls of class ${methodClass} (limit ${perSecond} per second)`
  return new RpcError('LIMIT_EXCEEDED', message, {
    retryAfterMs,
    details: { class: methodClass, perSecond },
  })
}

function tooSlow(method: MethodName, deadlineMs: number): RpcError {
  return new RpcError('DEADLINE_EXCEEDED', `${method}: no answer within ${deadlineMs} ms`, {
    details: { deadlineMs },
  })
}
