/**
 * Rules in the host's own network namespace, for deployments that have none of their own. They are
 * kept a while after an execution, as an isolated network is: a limit is the deployment's.
 * @module
 */
import { hostHierarchies } from '../../cgroup/mounts.ts'
import { StartError } from '../../errors/start-error.ts'
import { refuseBulk } from '../bulk-datagrams.ts'
import type { JobNetwork, NetworkOwner, Networks, NetworkState } from '../contract.ts'
import { lease } from '../one-execution.ts'
import { createResting } from '../network-pool.ts'
import { createNft, nameOfTable, type Nft } from '../rules/nft.ts'
import { refillMs } from '../settings.ts'
import { openSharedNetwork, type SharedNetwork } from './shared-network.ts'
import type { SharedOptions } from './shared-ruleset.ts'
import { sweepSharedTables } from './shared-sweep.ts'
import { watchTables } from '../rules/table-watch.ts'

export interface SharedNetworksOptions extends SharedOptions {
  /** For people: what does not hold because it is not isolated. */
  missing: readonly string[]
  onWarning: (message: string) => void
}

/** @throws Error saying what this host lacks; nothing is left then */
export async function openSharedNetworks(options: SharedNetworksOptions): Promise<Networks> {
  const nft = createNft()
  checkGroups()
  await sweepSharedTables(nft)
  await tryOut(options, nft)
  return networksLike(options, nft)
}

function checkGroups(): void {
  if (hostHierarchies().some(({ version }) => version === 2)) return
  throw new Error('no control groups of version 2, by which the kernel tells sockets of jobs')
}

// The last but "none": nobody has it.
const nobody = 2 ** 32 - 2

/** Whether the kernel takes every rule. */
async function tryOut(options: SharedOptions, nft: Nft): Promise<void> {
  const network = await openSharedNetwork(options, nft)
  try {
    await network.occupy({ deployment: '', uid: nobody, count: 1, maxConnections: 1 })
  } finally {
    await network.close()
  }
}

// What ended processes have left to send should be gone by then.
const longestSendingMs = 60_000

function networksLike(options: SharedNetworksOptions, nft: Nft): Networks {
  const { onWarning } = options
  const state: NetworkState = { mode: 'shared', missing: options.missing }
  const resting = createResting<SharedNetwork>(
    Math.max(refillMs(options.settings), longestSendingMs),
  )
  const made = new Set<SharedNetwork>()
  const watch = watchTables(() => restoreMissing(made, nft, onWarning))

  async function make(): Promise<SharedNetwork> {
    const network = await openSharedNetwork(options, nft)
    const close = async () => {
      made.delete(kept)
      await network.close()
    }
    const kept: SharedNetwork = { ...network, close }
    made.add(kept)
    return kept
  }

  async function begin(owner: NetworkOwner): Promise<SharedNetwork> {
    // Rules of a process that is gone may be for these ids.
    await sweepSharedTables(nft)
    const rested = await resting.wake(owner.deployment)
    const network = rested ?? (await make())
    try {
      await network.occupy(owner)
      return network
    } catch (error) {
      await network.close()
      throw error
    }
  }

  return {
    state,
    warnings: [],
    async open(owner) {
      const network = await begin(owner).catch(unavailable)
      // By its own name nobody wakes it: it stays for what is left to send, and goes.
      const release = () =>
        resting.rest(network.isWorn() ? network.table : owner.deployment, network)
      return {
        ...lease({ ...network, namespace: undefined }, release),
        state,
        attach: attachTo(network),
      }
    },
    keepSpare() {},
    async close() {
      await watch.close()
      await resting.close()
    },
  }

  function attachTo(network: SharedNetwork): JobNetwork['attach'] {
    return async (groups) => {
      await network.attach(groups)
      refuseBulk(groups, onWarning)
    }
  }
}

/** A firewall that is loaded anew takes every table with it. */
async function restoreMissing(
  networks: ReadonlySet<SharedNetwork>,
  nft: Nft,
  onWarning: (message: string) => void,
): Promise<void> {
  try {
    const there = (await nft.json(['list', 'tables'])).map(nameOfTable)
    const missing = [...networks].filter(({ table }) => !there.includes(table))
    for (const network of missing) await network.restore()
    if (missing.length > 0) {
      onWarning(`somebody removed the packet rules of ${missing.length} jobs; they are back`)
    }
  } catch (error) {
    onWarning(`packet rules of jobs may be gone: ${String(error)}`)
  }
}

function unavailable(cause: unknown): never {
  throw new StartError('NETWORK_UNAVAILABLE', (cause as Error).message, { cause })
}
