/**
 * Lends a network to one execution, and returns it when no call of that execution is pending.
 * @module
 */
import type { KernelNetwork } from './contract.ts'

type Leased = Pick<KernelNetwork, 'namespace' | 'admit' | 'revoke' | 'counters'>

/** @param giveBack called once no call is pending any more */
export function lease(
  network: Leased,
  giveBack: () => Promise<void>,
): Leased & Pick<KernelNetwork, 'release'> {
  const underWay = new Set<Promise<unknown>>()
  let isOver = false

  async function during<Value>(work: () => Promise<Value>): Promise<Value> {
    if (isOver) throw new Error('the execution of this network is over')
    const working = work()
    underWay.add(working)
    return working.finally(() => underWay.delete(working))
  }

  return {
    namespace: network.namespace,
    admit: (addresses) => during(() => network.admit(addresses)),
    revoke: (addresses) => during(() => network.revoke(addresses)),
    counters: () => during(() => network.counters()),
    async release() {
      isOver = true
      await Promise.allSettled(underWay)
      await giveBack()
    },
  }
}
