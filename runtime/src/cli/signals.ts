/**
 * Turns Ctrl-C, SIGTERM and a closed terminal into an orderly end of what a command does.
 * @module
 */

/** After a second signal a daemon ends itself within this time, whatever hangs. */
export const mostEndingMs = 5_000

const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** The first of these signals aborts the result; the second ends the process at once. */
export function abortOnSignals(): AbortSignal {
  return abortOneByOne(new AbortController())
}

/** The first of these signals aborts `stop`, the second `noGrace`; a third ends the process at once. */
export function stopOrEndGraceOnSignals(): { stop: AbortSignal; noGrace: AbortSignal } {
  const noGrace = new AbortController()
  return { stop: abortOneByOne(new AbortController(), noGrace), noGrace: noGrace.signal }
}

/** @returns the signal of the first controller */
function abortOneByOne(first: AbortController, ...others: AbortController[]): AbortSignal {
  const waiting = [first, ...others]
  const abort = (signal: NodeJS.Signals) => {
    waiting.shift()?.abort(new Error(`stopped by ${signal}`))
    if (waiting.length > 0) return
    for (const name of signals) process.off(name, abort)
  }
  for (const name of signals) process.on(name, abort)
  return first.signal
}
