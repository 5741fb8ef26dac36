/** Runs work with the same name one after the other. @module */

export interface Queues {
  run<T>(name: string, work: () => Promise<T>): Promise<T>
  /** Resolves when all work so far has ended. */
  settled(): Promise<void>
}

export function createQueues(): Queues {
  const last = new Map<string, Promise<unknown>>()
  return {
    run(name, work) {
      const before = last.get(name) ?? Promise.resolve()
      const done = before.then(work, work)
      last.set(name, done)
      const forget = () => {
        if (last.get(name) === done) last.delete(name)
      }
      done.then(forget, forget)
      return done
    },
    settled: async () => void (await Promise.allSettled(last.values())),
  }
}
