/** Runs work when few others run; what comes later waits for its turn. @module */

/** @throws the signal's reason, when it comes before the turn; the work's own errors */
export type InTurn = <T>(signal: AbortSignal, work: () => Promise<T>) => Promise<T>

/** Starts the work of a turn; false when nobody waits for it any more. */
type Turn = () => boolean

/** First come, first served. @param limit how many run at once */
export function createQueue(limit: number): InTurn {
  const waiting: Turn[] = []
  let running = 0
  const leave = () => {
    for (let next = waiting.shift(); next; next = waiting.shift()) if (next()) return
    running--
  }
  return async (signal, work) => {
    if (running < limit) running++
    else await turnIn(waiting, signal)
    try {
      return await work()
    } finally {
      leave()
    }
  }
}

function turnIn(waiting: Turn[], signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason as Error)
    const onAbort = () => reject(signal.reason as Error)
    signal.addEventListener('abort', onAbort)
    waiting.push(() => {
      signal.removeEventListener('abort', onAbort)
      resolve()
      return !signal.aborted
    })
  })
}
