/**
 * What a method's class allows: how often it may be called, and how long an answer may take.
 * @module
 */
import { RpcError } from './errors.ts'
import type { BridgeLimits } from './limits.ts'
import { methodClasses, type MethodClass } from './methods.ts'
import { createTokenBucket } from './token-bucket.ts'

/** Counts a call of the class. @throws RpcError LIMIT_EXCEEDED with retryAfterMs */
export type CountCall = (methodClass: MethodClass) => void

/** One deployment's token buckets, one a class. */
export function createCallCounter(limits: Pick<BridgeLimits, MethodClass>): CountCall {
  const buckets = Object.fromEntries(
    methodClasses.map((name) => [name, createTokenBucket(limits[name])]),
  ) as Record<MethodClass, ReturnType<typeof createTokenBucket>>
  return (methodClass) => {
    const retryAfterMs = buckets[methodClass]()
    if (retryAfterMs > 0) throw tooOften(methodClass, limits[methodClass].perSecond, retryAfterMs)
  }
}

/** The promise, or DEADLINE_EXCEEDED when it takes longer. */
export function withinDeadline<T>(
  pending: Promise<T>,
  deadlineMs: number,
  method: string,
): Promise<T> {
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

function tooSlow(method: string, deadlineMs: number): RpcError {
  return new RpcError('DEADLINE_EXCEEDED', `${method}: no answer within ${deadlineMs} ms`, {
    details: { deadlineMs },
  })
}
