/**
 * Ctrl-C, SIGTERM and a closed terminal end what a command does, in good order.
 * @module
 */
const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const

/** Aborted by the first of these signals; a second one ends the process at once. */
export function abortOnSignals(): AbortSignal {
  const controller = new AbortController()
  const abort = (signal: NodeJS.Signals) => {
    for (const name of signals) process.off(name, abort)
    controller.abort(new Error(`stopped by ${signal}`))
  }
  for (const name of signals) process.on(name, abort)
  return controller.signal
}
