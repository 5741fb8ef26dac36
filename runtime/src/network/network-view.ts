/**
 * What is shown of a running deployment's network.
 * @module
 */
import type { AdmittedHost } from './admitted.ts'
import type { NetworkCounters, NetworkState } from '../job-network/contract.ts'
import type { NetworkSettings } from '../job-network/settings.ts'

export type ConnectionLimits = Pick<NetworkSettings, 'connectionsPerSecond' | 'connectionBurst'>

export interface NetworkView extends NetworkState {
  /** To addresses that are not admitted; absent where nothing holds. */
  limits?: ConnectionLimits
  /** Most new connections of the execution; absent: not limited. */
  networkRequests?: number
  /** Of the network, which rests between executions: with those of executions just before. */
  counters: NetworkCounters
  hosts: readonly AdmittedHost[]
}

/** Shows a network as it is now. */
export type LookAtNetwork = () => Promise<NetworkView>
