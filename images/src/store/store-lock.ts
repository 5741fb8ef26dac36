/**
 * Locks between the processes that share a store. The kernel releases them when their holder dies,
 * so a killed process keeps nobody waiting.
 *
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'

/** `exclusive`: one holder and no other; `shared`: any number of shared holders. */
export type LockMode = 'shared' | 'exclusive'

/**
 * Tries to take a flock(2) on a file, which is created when missing.
 *
 * @returns a function that releases it; undefined when another process, or another call of this
 *   one, holds a conflicting lock
 */
export type TryLock = (path: string, mode: LockMode) => (() => void) | undefined

/** Makes each release safe to call twice: a closed descriptor's number may be reused. */
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

/** Options for waiting on a lock. */
export interface WaitOptions {
  signal?: AbortSignal | undefined
  /** Called after every failed attempt. */
  onWait?: () => Promise<void>
}

const firstPauseMs = 5
const maxPauseMs = 100

/**
 * Takes a lock as soon as it is free, also when its holder dies.
 *
 * @returns a function that releases it
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

/** Works while it has a lock, which it takes as {@link takeLock} does. */
export async function whileLocked<T>(
  tryLock: TryLock,
  path: string,
  mode: LockMode,
  options: WaitOptions,
  work: () => Promise<T>,
): Promise<T> {
  const release = await takeLock(tryLock, path, mode, options)
  return work().finally(release)
}

/** Works with a lock that nobody else holds now; without it, does nothing and returns undefined. */
export async function whenFree<T>(
  tryLock: TryLock,
  path: string,
  work: () => Promise<T>,
): Promise<T | undefined> {
  const release = tryLock(path, 'exclusive')
  return release && work().finally(release)
}
