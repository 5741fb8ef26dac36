/**
 * A network namespace for each deployment, kept for a while after an execution: so limits apply to
 * the deployment, however often it starts.
 * @module
 */
import { orUndo } from '@causeway/service/failure'
import { textsOf, type Shortfall } from '../../errors/shortfall.ts'
import { StartError } from '../../errors/start-error.ts'
import { refuseBulk, type BulkOptions } from '../bulk-datagrams.ts'
import type { EgressPolicy } from '@causeway/service/egress'
import { holdHostTable, type HostTable } from './host-table.ts'
import {
  openIsolatedNetwork,
  type IsolatedNetwork,
  type IsolatedOptions,
} from './isolated-network.ts'
import { lease } from '../one-execution.ts'
import type { KernelNetwork, NetworkOwner, Networks, NetworkState } from '../contract.ts'
import { createParking, createSpares, type Parking, type Spares } from '../network-pool.ts'
import { NoQueuesError } from './rate-queues.ts'
import { refillMs, type NetworkSettings } from '../settings.ts'

interface Options extends BulkOptions {
  settings: NetworkSettings
  policy: EgressPolicy
  /** What is not enforced all the same. */
  missing: readonly Shortfall[]
}

/** @throws Error saying what this host lacks; nothing is left then */
export async function openIsolatedNetworks(options: Options): Promise<Networks<KernelNetwork>> {
  const table = await holdHostTable(options.onWarning)
  const first = await orUndo(
    () => firstNetwork(options, table),
    () => table.release(),
  )
  return createIsolatedNetworks(first, table, options)
}

interface First {
  network: IsolatedNetwork
  how: Omit<IsolatedOptions, 'families'>
}

/** Opens a network; if the kernel lacks queues, its packets over a limit are dropped. */
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

const noQueues: Shortfall = {
  text: 'no queues (HTB) in this kernel: connections beyond their rate are dropped',
  remedy: 'load HTB into the kernel: modprobe sch_htb',
}

function createIsolatedNetworks(
  { network: first, how }: First,
  table: HostTable,
  options: Options,
): Networks<KernelNetwork> {
  const make = async () => {
    await table.refresh()
    return openIsolatedNetwork({ ...how, families: table.families })
  }
  const spares = createSpares(first, make)
  const parking = createParking<IsolatedNetwork>(refillMs(how.settings))
  const attach = async (groups: readonly string[]) => refuseBulk(groups, options)
  const shortfalls = [...options.missing, ...table.obstacles, ...(how.queues ? [] : [noQueues])]
  const state: NetworkState = { mode: 'isolated', missing: textsOf(options.missing) }
  return {
    state,
    shortfalls,
    async open(owner) {
      try {
        const network = await take(owner, { parking, spares })
        const release = () => parking.park(owner.deployment, network)
        return { ...lease(network, release), state, attach }
      } catch (cause) {
        const message = `no network for the job: ${(cause as Error).message}`
        throw new StartError('NETWORK_UNAVAILABLE', message, { cause })
      }
    },
    keepSpare: () => spares.keep(),
    async close() {
      await Promise.all([parking.close(), spares.close()])
      await table.release()
    },
  }
}

interface Pools {
  parking: Parking<IsolatedNetwork>
  spares: Spares
}

async function take(owner: NetworkOwner, pools: Pools): Promise<IsolatedNetwork> {
  const network = await connected(owner, pools)
  await orUndo(
    () => network.allowConnections(owner.maxConnections),
    () => network.close(),
  )
  return network
}

/** Takes a network that can be used: a parked or a spare one may have lost its veth pair, say. */
async function connected(
  { deployment }: NetworkOwner,
  { parking, spares }: Pools,
): Promise<IsolatedNetwork> {
  const parked = await parking.unpark(deployment)
  if (parked?.isUsable()) return parked
  await parked?.close()
  const spare = await spares.take()
  if (spare.isUsable()) return spare
  await spare.close()
  return spares.take()
}
