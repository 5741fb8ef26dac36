/**
 * The deadline of an execution: it ends what is being prepared as well as a job that runs.
 * @module
 */
import { callAt } from './call-at.ts'
import type { JobExit } from './exit.ts'
import type { Execute } from './request.ts'

const lateness = new Error('its time was over')

/** The exit of an execution that its deadline ended before there was a job. */
const lateExit: JobExit = { reason: 'timeout', detail: lateness.message }

/** The same executions, with their deadline as one more reason of their signal. */
export function inTime(execute: Execute): Execute {
  return async (request) => {
    // Node 20 keeps a signal of AbortSignal.any for ever, with all that listens to it.
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

/** Whether it was the deadline that ended an execution. */
export function isLate(signal: AbortSignal): boolean {
  return signal.reason === lateness
}
