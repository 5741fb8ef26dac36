/**
 * Networks that no job uses: a spare for the next new deployment, and parked ones, whose deployment
 * may start again.
 * @module
 */
import type { IsolatedNetwork } from './isolated/isolated-network.ts'

export interface Spares {
  /** The spare, or a new network. */
  take(): Promise<IsolatedNetwork>
  /** Keeps a spare ready from now on. */
  keep(): void
  close(): Promise<void>
}

// Making the next spare at once would delay this job.
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
      // The next job makes its own network, or reports why it cannot.
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

/** A network that can be used again. */
type Reusable = Pick<IsolatedNetwork, 'renew' | 'close'>

export interface Parking<Network extends Reusable> {
  park(deployment: string, network: Network): Promise<void>
  /** Takes the network parked for a deployment: like new, except for the state of its limits. */
  unpark(deployment: string): Promise<Network | undefined>
  close(): Promise<void>
}

interface Parked<Network> {
  network: Network
  ready: Promise<void>
  timer: NodeJS.Timeout
}

/** @param longestMs how long a network stays parked */
export function createParking<Network extends Reusable>(longestMs: number): Parking<Network> {
  const all = new Map<string, Parked<Network>>()
  let isClosed = false

  /** @returns whether the network was still parked */
  function forget(deployment: string, parked: Parked<Network>): boolean {
    if (all.get(deployment) !== parked) return false
    clearTimeout(parked.timer)
    return all.delete(deployment)
  }

  async function end(deployment: string, parked: Parked<Network>): Promise<void> {
    if (forget(deployment, parked)) await parked.network.close()
  }

  return {
    async park(deployment, network) {
      if (isClosed || all.has(deployment)) return network.close()
      const timer = setTimeout(() => void end(deployment, parked), longestMs).unref()
      const parked: Parked<Network> = { network, timer, ready: network.renew() }
      all.set(deployment, parked)
      // A network that cannot be renewed is not used again.
      await parked.ready.catch(() => end(deployment, parked))
    },
    async unpark(deployment) {
      const parked = all.get(deployment)
      if (!parked) return undefined
      forget(deployment, parked)
      const isReady = await parked.ready.then(
        () => true,
        () => false,
      )
      if (isReady) return parked.network
      await parked.network.close()
      return undefined
    },
    async close() {
      isClosed = true
      await Promise.all([...all].map(([deployment, parked]) => end(deployment, parked)))
    },
  }
}
