/**
 * The capability `network` of a deployment's bridge: its calls, its facts for `rpc.discover`, and
 * the view of the network for people.
 * @module
 */
import type { DiscoveredNetwork, NetworkMethods } from '@causeway/guest-sdk/protocol'
import type { Capability } from '../bridge/capability.ts'
import { createAdmissions, type AdmissionsOptions } from './admissions.ts'
import { networkHandlers } from './handlers.ts'
import type { JobNetwork, KernelNetwork, NetworkState } from '../job-network/contract.ts'
import type { ConnectionLimits, LookAtNetwork, NetworkView } from './network-view.ts'

export interface NetworkCapabilityOptions extends Omit<AdmissionsOptions, 'network'> {
  /** Network of the deployment's jobs; without one, hosts are verified but nothing is limited. */
  network?: JobNetwork
  /** Limits of that network. */
  connectionLimits: ConnectionLimits
  /** Most new connections of an execution; 0: no limit. */
  networkRequests: number
}

export interface NetworkCapability extends Capability<keyof NetworkMethods> {
  facts: { network: DiscoveredNetwork }
  look: LookAtNetwork
  /**
   * Ends all verifications. The network may be released only after this has resolved: before, a
   * change may still be on its way into the kernel.
   */
  readonly close: () => Promise<void>
}

const none = { admitted: 0, limited: 0, refused: 0 }
const noNetwork: Pick<KernelNetwork, 'state' | 'admit' | 'revoke' | 'counters'> = {
  state: { mode: 'none', missing: [] },
  admit: async () => {},
  revoke: async () => {},
  counters: async () => none,
}

export function openNetworkCapability(options: NetworkCapabilityOptions): NetworkCapability {
  const network = options.network ?? noNetwork
  const { state } = network
  const admissions = createAdmissions({ ...options, network })
  const held = heldLimits(state, options.connectionLimits)
  const limits = { ...(held && { limits: held }), ...cap(options, state) }
  const look = async (): Promise<NetworkView> => {
    const counters = await network.counters()
    const byHost = options.network?.egress.counters() ?? none
    return { ...state, ...limits, counters, byHost, hosts: admissions.list() }
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
  // The caller may pass the whole settings.
  const { connectionsPerSecond, connectionBurst } = limits
  return { connectionsPerSecond, connectionBurst }
}

function cap(
  { networkRequests }: NetworkCapabilityOptions,
  { mode }: NetworkState,
): Pick<NetworkView, 'networkRequests'> {
  return mode === 'none' || networkRequests === 0 ? {} : { networkRequests }
}
