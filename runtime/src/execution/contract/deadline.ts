/**
 * Enforces the deadline of an execution, during preparation as well as while a job runs.
 * @module
 */
import { callAt } from './call-at.ts'
import type { JobExit } from './exit.ts'
import type { Execute } from './request.ts'

const lateness = new Error('the deadline has passed')

/** Exit of an execution whose deadline passed before a job was started. */
const lateExit: JobExit = { reason: 'timeout', detail: lateness.message }

/** Wraps `execute`: the deadline aborts the signal, too. */
export function inTime(execute: Execute): Execute {
  return async (request) => {
    // Node 20 never frees a signal of AbortSignal.any, nor its listeners.
    const either = new AbortController()
    const passOn = () => either.abort(request.signal.reason)
    request.signal.addEventListener('abort', passOn)
    if (request.signal.aborted) passOn()
    const timer = callAt(request.deadline, () => either.abort(lateness))
    try {
      return await execute({ ...request, signal: either.signal })
    } catch (error) {
      if (isLate(either.signal)) return { exit: lateExit }
      throw error
    } finally {
      timer.cancel()
      request.signal.removeEventListener('abort', passOn)
    }
  }
}

/** Whether the deadline aborted the signal. */
export function isLate(signal: AbortSignal): boolean {
  return signal.reason === lateness
}
