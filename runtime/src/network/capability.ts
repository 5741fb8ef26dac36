/**
 * What a deployment's bridge has to do with its network: the calls, what is told of it, and what is
 * shown.
 * @module
 */
import type { DiscoveredNetwork, NetworkMethods } from '@causeway/guest-sdk/protocol'
import type { Capability } from '../bridge/capability.ts'
import { createAdmissions, type AdmissionsOptions } from './admissions.ts'
import { networkHandlers } from './handlers.ts'
import type { JobNetwork, NetworkState } from '../job-network/contract.ts'
import type { ConnectionLimits, LookAtNetwork, NetworkView } from './network-view.ts'

export interface NetworkCapabilityOptions extends Omit<AdmissionsOptions, 'network'> {
  /** Of the deployment's jobs; without one hosts are verified, and nothing is limited. */
  network?: JobNetwork
  /** What that one limits. */
  connectionLimits: ConnectionLimits
  /** Most new connections that it may open; 0: any number. */
  networkRequests: number
}

export interface NetworkCapability extends Capability<keyof NetworkMethods> {
  facts: { network: DiscoveredNetwork }
  look: LookAtNetwork
  /**
   * Looks nothing up any more. The network is its owner's to release when this has resolved: before,
   * something may still be on its way into the kernel.
   */
  readonly close: () => Promise<void>
}

const noNetwork: Pick<JobNetwork, 'state' | 'admit' | 'revoke' | 'counters'> = {
  state: { mode: 'none', missing: [] },
  admit: async () => {},
  revoke: async () => {},
  counters: async () => ({ admitted: 0, limited: 0, refused: 0 }),
}

export function openNetworkCapability(options: NetworkCapabilityOptions): NetworkCapability {
  const network = options.network ?? noNetwork
  const { state } = network
  const admissions = createAdmissions({ ...options, network })
  const held = heldLimits(state, options.connectionLimits)
  const limits = { ...(held && { limits: held }), ...cap(options, state) }
  const look = async (): Promise<NetworkView> => {
    const counters = await network.counters()
    return { ...state, ...limits, counters, hosts: admissions.list() }
  }
  return {
    handlers: networkHandlers(admissions),
    facts: { network: { mode: state.mode, enforced: state.mode !== 'none', ...held } },
    look,
    close: admissions.close,
  }
}

function heldLimits(
  { mode }: NetworkState,
  limits: ConnectionLimits,
): ConnectionLimits | undefined {
  if (mode === 'none') return undefined
  // The settings hold more.
  const { connectionsPerSecond, connectionBurst } = limits
  return { connectionsPerSecond, connectionBurst }
}

function cap(
  { networkRequests }: NetworkCapabilityOptions,
  { mode }: NetworkState,
): Pick<NetworkView, 'networkRequests'> {
  return mode === 'none' || networkRequests === 0 ? {} : { networkRequests }
}
