/**
 * A sleep that ends early when somebody says so.
 * @module
 */

export interface Waker {
  /** Resolves after the time, or at the next `wake`; of one call at a time. Without a time it waits. */
  sleep(ms?: number): Promise<void>
  wake(): void
}

export function createWaker(): Waker {
  let isAwake = false
  let wakeUp: (() => void) | undefined
  return {
    sleep: (ms) =>
      new Promise<void>((resolve) => {
        const timer = ms === undefined ? undefined : setTimeout(() => wakeUp?.(), ms)
        wakeUp = () => {
          clearTimeout(timer)
          wakeUp = undefined
          isAwake = false
          resolve()
        }
        // What was said before the sleep ends it at once.
        if (isAwake) wakeUp()
      }),
    wake() {
      isAwake = true
      wakeUp?.()
    },
  }
}
