/** The view of a running deployment's network for people. @module */
import type { AdmittedHost } from './admitted.ts'
import type { NetworkCounters, NetworkState } from '../job-network/contract.ts'
import type { NetworkSettings } from '../job-network/settings.ts'

export type ConnectionLimits = Pick<NetworkSettings, 'connectionsPerSecond' | 'connectionBurst'>

export interface NetworkView extends NetworkState {
  /** Limits for addresses that are not admitted; absent where nothing is enforced. */
  limits?: ConnectionLimits
  /** Most new connections of the execution; absent: not limited. */
  networkRequests?: number
  /** Since the network was made. Executions that follow closely share one: theirs are included. */
  counters: NetworkCounters
  /** Connections that the host opened for the job, such as those of its tunnel. */
  byHost: NetworkCounters
  hosts: readonly AdmittedHost[]
}

/** @returns the view of the network as it is now */
export type LookAtNetwork = () => Promise<NetworkView>
