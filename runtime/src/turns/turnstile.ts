/**
 * The line in which verifications of one deployment wait: a deployment that has many slow ones
 * keeps itself waiting, not the others.
 * @module
 */
import { tooManyAtOnce } from '../network/refusal.ts'

export interface LineOptions {
  /** How many are under way at once. */
  most: number
  /** Whoever has waited longer has been answered meanwhile, and is not worth a query. */
  patienceMs: number
}

/**
 * Runs what it is given as soon as fewer than `most` run, first come, first served.
 * @throws RpcError LIMIT_EXCEEDED when that took too long
 */
export type Line = <T>(work: () => Promise<T>) => Promise<T>

export function createLine({ most, patienceMs }: LineOptions): Line {
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
      if (performance.now() > until) throw tooManyAtOnce(most)
      return await work()
    } finally {
      leave()
    }
  }
}
