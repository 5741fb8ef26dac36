/**
 * Packet rules in the host's own network namespace, for deployments without one of their own. A
 * table is kept for a while after an execution, so that limits apply to the deployment.
 * @module
 */
import { afterwards, orUndo } from '@causeway/service/failure'
import { hostHierarchies } from '../../cgroup/mounts.ts'
import { ShortfallError, textsOf, type Shortfall } from '../../errors/shortfall.ts'
import { StartError } from '../../errors/start-error.ts'
import { refuseBulk, type BulkOptions } from '../bulk-datagrams.ts'
import type { KernelNetwork, NetworkOwner, Networks, NetworkState } from '../contract.ts'
import { lease } from '../one-execution.ts'
import { createParking } from '../network-pool.ts'
import { createNft, nameOfTable, type Nft } from '../rules/nft.ts'
import { limitsText, refillMs } from '../settings.ts'
import { openSharedNetwork, type SharedNetwork } from './shared-network.ts'
import type { SharedOptions } from './shared-ruleset.ts'
import { sweepSharedTables } from './shared-sweep.ts'
import { watchTables } from '../rules/table-watch.ts'

export interface SharedNetworksOptions extends SharedOptions, BulkOptions {
  /** What is not enforced, because the network is not isolated or for other reasons. */
  missing: readonly Shortfall[]
}

/** @throws Error saying what this host lacks; nothing is left then */
export async function openSharedNetworks(
  options: SharedNetworksOptions,
): Promise<Networks<KernelNetwork>> {
  const nft = createNft()
  checkGroups()
  await sweepSharedTables(nft)
  await tryOut(options, nft)
  return createSharedNetworks(options, nft)
}

function checkGroups(): void {
  if (hostHierarchies().some(({ version }) => version === 2)) return
  throw new ShortfallError(
    'no control groups of version 2, by which the kernel identifies sockets of jobs',
    'mount them: mount -t cgroup2 none /sys/fs/cgroup/unified',
  )
}

// The last uid before the kernel's "none": no user has it.
const nobody = 2 ** 32 - 2

/** Checks that the kernel accepts every rule. @throws Error */
async function tryOut(options: SharedOptions, nft: Nft): Promise<void> {
  const network = await openSharedNetwork(options, nft)
  const owner = { deployment: '', uid: nobody, count: 1, maxConnections: 1 }
  await afterwards(network.attachOwner(owner), () => network.close())
}

// Time in which the sockets of ended processes should have drained.
const longestSendingMs = 60_000

function createSharedNetworks(options: SharedNetworksOptions, nft: Nft): Networks<KernelNetwork> {
  const { onWarning } = options
  const state: NetworkState = { mode: 'shared', missing: textsOf(options.missing) }
  const parking = createParking<SharedNetwork>(
    Math.max(refillMs(options.settings), longestSendingMs),
  )
  const made = new Set<SharedNetwork>()
  const limitsOf = new WeakMap<SharedNetwork, string>()
  const watch = watchTables(() => restoreMissing(made, nft, onWarning))

  async function make(): Promise<SharedNetwork> {
    const limits = limitsText(options.settings)
    const network = await openSharedNetwork(options, nft)
    const close = async () => {
      made.delete(kept)
      await network.close()
    }
    const kept: SharedNetwork = { ...network, close }
    made.add(kept)
    limitsOf.set(kept, limits)
    return kept
  }

  async function begin(owner: NetworkOwner): Promise<SharedNetwork> {
    // Rules that a dead daemon has left may apply to these ids.
    await sweepSharedTables(nft)
    const parked = await parking.unpark(owner.deployment)
    // Its rules may be of settings that the operator has changed since. Then they hold on for the
    // sockets of ended processes.
    const isCurrent = parked && limitsOf.get(parked) === limitsText(options.settings)
    if (parked && !isCurrent) await parking.park(parked.table, parked)
    const network = isCurrent ? parked : await make()
    await orUndo(
      () => network.attachOwner(owner),
      () => network.close(),
    )
    return network
  }

  return {
    state,
    shortfalls: options.missing,
    async open(owner) {
      const network = await begin(owner).catch(unavailable)
      // Parked under its own name, so no deployment reuses it; it expires once its sockets drain.
      const release = () =>
        parking.park(network.isExhausted() ? network.table : owner.deployment, network)
      return {
        ...lease({ ...network, namespace: undefined }, release),
        state,
        attach: attachTo(network),
      }
    },
    keepSpare() {},
    async close() {
      await watch.close()
      await parking.close()
    },
  }

  function attachTo(network: SharedNetwork): KernelNetwork['attach'] {
    return async (groups) => {
      await network.attach(groups)
      refuseBulk(groups, options)
    }
  }
}

/** Makes missing tables again: a firewall reload removes every table. */
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
