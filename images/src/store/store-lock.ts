/**
 * Locks between the processes that share a store. The kernel gives them back when their holder
 * dies, so nothing a killed process did keeps others waiting.
 *
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

/** `exclusive`: one holder; `shared`: any number of them, but no exclusive one. */
export type LockMode = 'shared' | 'exclusive'

/**
 * Tries to take a flock(2) on a file, which is created when missing.
 *
 * @returns what gives it back; undefined when another process, or another call of this one, holds
 *   it in a way that excludes this
 */
export type TryLock = (path: string, mode: LockMode) => (() => void) | undefined

/** The same locks, each of which may be given back twice: its descriptor's number is used again. */
export function withSafeRelease(tryLock: TryLock): TryLock {
  return (path, mode) => {
    let release = tryLock(path, mode)
    if (release === undefined) return undefined
    return () => {
      release?.()
      release = undefined
    }
  }
}

/** How a lock is waited for. */
export interface WaitOptions {
  signal?: AbortSignal | undefined
  /** Called at every attempt that failed. */
  onWait?: () => Promise<void>
}

const firstPauseMs = 5
const maxPauseMs = 100

/**
 * Takes a lock as soon as it is free, also when its holder dies.
 *
 * @returns what gives it back
 * @throws the signal's reason when aborted
 */
export async function takeLock(
  tryLock: TryLock,
  path: string,
  mode: LockMode,
  { signal, onWait }: WaitOptions = {},
): Promise<() => void> {
  for (let pauseMs = firstPauseMs; ; pauseMs = Math.min(2 * pauseMs, maxPauseMs)) {
    signal?.throwIfAborted()
    const release = tryLock(path, mode)
    if (release !== undefined) return release
    await onWait?.()
    await pause(pauseMs)
  }
}
