/** Callers who ask for the same work while it runs share one run of it. @module */

/** @returns `work` by key, run at most once at a time for each key */
export function singleFlight<T>(work: (key: string) => Promise<T>): (key: string) => Promise<T> {
  const flights = new Map<string, Promise<T>>()
  return (key) => {
    const known = flights.get(key)
    if (known) return known
    const flight = work(key).finally(() => flights.delete(key))
    flights.set(key, flight)
    return flight
  }
}
