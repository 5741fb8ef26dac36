/**
 * A queue with a limit on work in progress and on waiting time. Each deployment has its own, so
 * that its slow verifications delay only itself.
 * @module
 */
import { tooManyAtOnce } from '../network/refusal.ts'

export interface LineOptions {
  /** Most tasks in progress at once. */
  most: number
  /** Longest wait, ms. The caller of a task that waited longer has already been answered. */
  patienceMs: number
}

/**
 * Runs a task as soon as fewer than `most` run, in order of arrival.
 * @throws RpcError LIMIT_EXCEEDED when a task waited too long
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
