/**
 * Networks that no job is in: one that is ready for the next new deployment, and those whose
 * deployment may start again.
 * @module
 */
import type { IsolatedNetwork } from './isolated/isolated-network.ts'

export interface Spares {
  /** The one that is ready, or a new one. */
  take(): Promise<IsolatedNetwork>
  /** Has one ready from now on. */
  keep(): void
  close(): Promise<void>
}

// Making the next one would keep this job waiting.
const refillAfterMs = 100

export function createSpares(first: IsolatedNetwork, make: () => Promise<IsolatedNetwork>): Spares {
  let spare: IsolatedNetwork | undefined = first
  let isKept = false
  let making: Promise<void> | undefined

  function refill(): void {
    if (!isKept || spare || making) return
    making = make()
      .then(async (made) => {
        if (isKept) spare = made
        else await made.close()
      })
      // The next job makes its own, or says why not.
      .catch(() => {})
      .finally(() => (making = undefined))
  }

  return {
    async take() {
      const ready = spare
      spare = undefined
      if (isKept) setTimeout(refill, refillAfterMs).unref()
      return ready ?? make()
    },
    keep() {
      isKept = true
      refill()
    },
    async close() {
      isKept = false
      await making
      const last = spare
      spare = undefined
      await last?.close()
    },
  }
}

/** One that can be used again. */
type Reusable = Pick<IsolatedNetwork, 'renew' | 'close'>

export interface Resting<Network extends Reusable> {
  rest(deployment: string, network: Network): Promise<void>
  /** The one that rests for a deployment, as if new but for its limits. */
  wake(deployment: string): Promise<Network | undefined>
  close(): Promise<void>
}

interface Rest<Network> {
  network: Network
  ready: Promise<void>
  timer: NodeJS.Timeout
}

/** @param longestMs how long one is kept for its deployment */
export function createResting<Network extends Reusable>(longestMs: number): Resting<Network> {
  const resting = new Map<string, Rest<Network>>()
  let isClosed = false

  /** Whether it was still there. */
  function forget(deployment: string, rest: Rest<Network>): boolean {
    if (resting.get(deployment) !== rest) return false
    clearTimeout(rest.timer)
    return resting.delete(deployment)
  }

  async function end(deployment: string, rest: Rest<Network>): Promise<void> {
    if (forget(deployment, rest)) await rest.network.close()
  }

  return {
    async rest(deployment, network) {
      if (isClosed || resting.has(deployment)) return network.close()
      const timer = setTimeout(() => void end(deployment, rest), longestMs).unref()
      const rest: Rest<Network> = { network, timer, ready: network.renew() }
      resting.set(deployment, rest)
      // What cannot be renewed is not used again.
      await rest.ready.catch(() => end(deployment, rest))
    },
    async wake(deployment) {
      const rest = resting.get(deployment)
      if (!rest) return undefined
      forget(deployment, rest)
      const isReady = await rest.ready.then(
        () => true,
        () => false,
      )
      if (isReady) return rest.network
      await rest.network.close()
      return undefined
    },
    async close() {
      isClosed = true
      await Promise.all([...resting].map(([deployment, rest]) => end(deployment, rest)))
    },
  }
}
