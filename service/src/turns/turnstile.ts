/**
 * A turnstile lets in as many pieces of work as may run at once; the others wait in line.
 * @module
 */

export interface TurnstileOptions {
  /** How many run at once. */
  most: number
  /** Work that has waited longer, in ms, is not begun: its caller has given up. */
  patienceMs: number
  /** The error for such work. */
  tooLate: () => Error
}

/** Runs the work as soon as fewer than `most` run, first come, first served. */
export type Turnstile = <T>(work: () => Promise<T>) => Promise<T>

export function createTurnstile({ most, patienceMs, tooLate }: TurnstileOptions): Turnstile {
  const waiting: (() => void)[] = []
  let running = 0

  function leave(): void {
    const next = waiting.shift()
    if (next) next()
    else running--
  }

  return async (work) => {
    const until = performance.now() + patienceMs
    if (running < most) running++
    else await new Promise<void>((enter) => waiting.push(enter))
    try {
      if (performance.now() > until) throw tooLate()
      return await work()
    } finally {
      leave()
    }
  }
}
