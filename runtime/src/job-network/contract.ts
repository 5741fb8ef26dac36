/**
 * The network of one deployment's jobs: what they reach, how fast, and where it is counted.
 * @module
 */

/** An address that a job may reach without waiting. */
export interface AdmittedAddress {
  /** Canonical text of IPv4 or IPv6. */
  address: string
  /** How long, seconds, 60 to 3600. */
  seconds: number
}

/** How far the network extension holds. */
export interface NetworkState {
  /**
   * `isolated`: a network namespace for each deployment; `shared`: the host's, with rules by the
   * job's uid; `none`: the host's, and nothing holds.
   */
  mode: 'isolated' | 'shared' | 'none'
  /** For people: what does not hold here, and why. */
  missing: readonly string[]
}

/** New connections since the network was made, which may be executions ago. */
export interface NetworkCounters {
  /** To admitted addresses. */
  admitted: number
  /** To others, that had to wait or were turned away by the limiter. */
  limited: number
  /** Refused by the egress policy, or beyond `networkRequests`. */
  refused: number
}

export interface JobNetwork {
  readonly state: NetworkState
  /** Descriptor of the network namespace; undefined: the host's own. Ours until `release`. */
  readonly namespace: number | undefined
  /**
   * Says what control groups (folders) a job is in, before its first process runs: where the host's
   * network is shared, its own loopback is what they hold.
   */
  attach(groups: readonly string[]): Promise<void>
  /** From now on connections to these bypass the limiter, for as long as each says from now. */
  admit(addresses: readonly AdmittedAddress[]): Promise<void>
  /** Takes that back. */
  revoke(addresses: readonly string[]): Promise<void>
  counters(): Promise<NetworkCounters>
  /** Nothing of the job may run any more. */
  release(): Promise<void>
}

/** Whose network it is. */
export interface NetworkOwner {
  /** Of the deployment; jobs of the same one share limits and admissions. */
  deployment: string
  /** Host uids of the job, `count` from `uid` on. */
  uid: number
  count: number
  /** Most new connections of an execution; 0: no limit. */
  maxConnections: number
}

/** Networks on this host. */
export interface Networks {
  readonly state: NetworkState
  /** For people: what holds in another way than it should, or keeps jobs from the network. */
  readonly warnings: readonly string[]
  /** @throws StartError NETWORK_UNAVAILABLE */
  open(owner: NetworkOwner): Promise<JobNetwork>
  /** Has one ready for the next new deployment. */
  keepSpare(): void
  close(): Promise<void>
}
