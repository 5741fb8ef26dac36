/**
 * Says when an execution is tried again that a passing fault of the host, such as a full disk, keeps
 * from starting.
 * @module
 */
import type { Schedule } from '@causeway/manifest'
import { lastStart } from '../schedule/schedule.ts'

/** Times between two tries, ms: the first, doubled from try to try up to the longest. */
export interface Patience {
  firstMs: number
  longestMs: number
}

const defaultPatience: Patience = { firstMs: 1000, longestMs: 60_000 }

export interface Tries {
  /** Time until the next try; undefined when there is to be none. */
  next(now: number): number | undefined
}

export interface TriesOptions {
  schedule: Schedule
  /** When the execution was due; undefined for one whose job has run: then its first fault counts. */
  due: number | undefined
  patience: Patience | undefined
}

export function createTries({ schedule, due, patience = defaultPatience }: TriesOptions): Tries {
  let [delay, last]: [number, number | undefined] = [patience.firstMs, undefined]
  return {
    next(now) {
      last ??= lastStart(schedule, due ?? now)
      if (now >= last) return undefined
      const wait = Math.min(delay, last - now)
      delay = Math.min(2 * delay, patience.longestMs)
      return wait
    },
  }
}
