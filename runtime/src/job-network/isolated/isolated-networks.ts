/**
 * A network namespace for each deployment, kept a while for the next of its executions: so a limit
 * is the deployment's, however often it starts.
 * @module
 */
import { StartError } from '../../errors/start-error.ts'
import { refuseBulk } from '../bulk-datagrams.ts'
import type { EgressPolicy } from '@causeway/service/egress'
import { holdHostTable, type HostTable } from './host-table.ts'
import {
  openIsolatedNetwork,
  type IsolatedNetwork,
  type IsolatedOptions,
} from './isolated-network.ts'
import { lease } from '../one-execution.ts'
import type { NetworkOwner, Networks, NetworkState } from '../contract.ts'
import { createResting, createSpares, type Resting, type Spares } from '../network-pool.ts'
import { NoQueuesError } from './rate-queues.ts'
import { refillMs, type NetworkSettings } from '../settings.ts'

interface Options {
  settings: NetworkSettings
  policy: EgressPolicy
  onWarning: (message: string) => void
}

/** @throws Error saying what this host lacks; nothing is left then */
export async function openIsolatedNetworks(options: Options): Promise<Networks> {
  const table = await holdHostTable(options.onWarning)
  try {
    return networksLike(await firstNetwork(options, table), table, options.onWarning)
  } catch (error) {
    await table.release()
    throw error
  }
}

interface First {
  network: IsolatedNetwork
  how: Omit<IsolatedOptions, 'families'>
}

/** The kernel of a small host may lack queues: then what exceeds a limit is dropped. */
async function firstNetwork(options: Options, { families }: HostTable): Promise<First> {
  try {
    const how = { ...options, queues: true }
    return { network: await openIsolatedNetwork({ ...how, families }), how }
  } catch (error) {
    if (!(error instanceof NoQueuesError)) throw error
    const how = { ...options, queues: false }
    return { network: await openIsolatedNetwork({ ...how, families }), how }
  }
}

const noQueues = 'no queues (HTB) in this kernel: connections beyond their rate are dropped'

function networksLike(
  { network: first, how }: First,
  table: HostTable,
  onWarning: (message: string) => void,
): Networks {
  const make = async () => {
    await table.refresh()
    return openIsolatedNetwork({ ...how, families: table.families })
  }
  const spares = createSpares(first, make)
  const resting = createResting<IsolatedNetwork>(refillMs(how.settings))
  const attach = async (groups: readonly string[]) => refuseBulk(groups, onWarning)
  const warnings = [...table.warnings, ...(how.queues ? [] : [noQueues])]
  const state: NetworkState = { mode: 'isolated', missing: [] }
  return {
    state,
    warnings,
    async open(owner) {
      try {
        const network = await take(owner, { resting, spares })
        const release = () => resting.rest(owner.deployment, network)
        return { ...lease(network, release), state, attach }
      } catch (cause) {
        const message = `no network for the job: ${(cause as Error).message}`
        throw new StartError('NETWORK_UNAVAILABLE', message, { cause })
      }
    },
    keepSpare: () => spares.keep(),
    async close() {
      await Promise.all([resting.close(), spares.close()])
      await table.release()
    },
  }
}

interface Pools {
  resting: Resting<IsolatedNetwork>
  spares: Spares
}

async function take(owner: NetworkOwner, pools: Pools): Promise<IsolatedNetwork> {
  const network = await connected(owner, pools)
  try {
    await network.allowConnections(owner.maxConnections)
    return network
  } catch (error) {
    await network.close()
    throw error
  }
}

/** One that rests, or is ready, may have lost its cable. */
async function connected(
  { deployment }: NetworkOwner,
  { resting, spares }: Pools,
): Promise<IsolatedNetwork> {
  const rested = await resting.wake(deployment)
  if (rested?.isConnected()) return rested
  await rested?.close()
  const spare = await spares.take()
  if (spare.isConnected()) return spare
  await spare.close()
  return spares.take()
}
