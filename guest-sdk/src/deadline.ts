/** The time of one call. @module */

/** Ends a call when its time is over, or when its caller says so. */
export interface Deadline {
  readonly signal: AbortSignal
  remainingMs(): number
}

/**
 * Runs a call until its deadline.
 * @param late makes the error for a call whose time is over
 * @throws the outer signal's reason, the call's own error, or that of `late`
 */
export async function withDeadline<T>(
  timeoutMs: number,
  outer: AbortSignal | undefined,
  run: (deadline: Deadline) => Promise<T>,
  late: (cause: unknown) => Error,
): Promise<T> {
  const timer = AbortSignal.timeout(timeoutMs)
  const end = performance.now() + timeoutMs
  const signal = outer ? AbortSignal.any([outer, timer]) : timer
  try {
    return await run({ signal, remainingMs: () => end - performance.now() })
  } catch (cause) {
    if (cause !== timer.reason || outer?.aborted) throw cause
    throw late(cause)
  }
}
