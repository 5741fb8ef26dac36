/** A sleep that other code can end early. @module */

export interface Waker {
  /** Resolves after the time (default: never) or at the next `wake`; one call at a time. */
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
        // A `wake` before the call ends the sleep at once.
        if (isAwake) wakeUp()
      }),
    wake() {
      isAwake = true
      wakeUp?.()
    },
  }
}
