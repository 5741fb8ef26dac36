/**
 * The contract of a job network: what one deployment's jobs may reach, how fast, and the counts.
 * @module
 */
import type { NativeHandle } from '@causeway/native/network'
import type { Egress } from '@causeway/service/egress'
import type { Shortfall } from '../errors/shortfall.ts'
import type { Inside } from './inside.ts'

/** An address that a job may reach without limits. */
export interface AdmittedAddress {
  /** Canonical text of IPv4 or IPv6. */
  address: string
  /** Time for which it is admitted, seconds, 60 to 3600. */
  seconds: number
}

/** How much of the network extension is enforced. */
export interface NetworkState {
  /**
   * `isolated`: a network namespace for each deployment; `shared`: the host's, with rules by the
   * job's uid; `none`: the host's, and nothing is enforced.
   */
  mode: 'isolated' | 'shared' | 'none'
  /** For people: what is not enforced here, and why. */
  missing: readonly string[]
}

/** New connections since the network was made; earlier executions may have made some of them. */
export interface NetworkCounters {
  /** To admitted addresses. */
  admitted: number
  /** To other addresses: connections that the limiter delayed or dropped. */
  limited: number
  /** Refused by the egress policy, or beyond `networkRequests`. */
  refused: number
}

/** The kernel's side of a job's network, which each mode makes in its own way. */
export interface KernelNetwork {
  readonly state: NetworkState
  /** Descriptor of the network namespace, valid until `release`; undefined: the host's own. */
  readonly namespace: number | undefined
  /**
   * Names the control groups (folders) of a job before its first process runs. In a shared network
   * the job may reach only sockets of these groups on the loopback.
   */
  attach(groups: readonly string[]): Promise<void>
  /** Lets connections to these addresses bypass the limiter, each for its `seconds` from now. */
  admit(addresses: readonly AdmittedAddress[]): Promise<void>
  /** Undoes `admit`. */
  revoke(addresses: readonly string[]): Promise<void>
  counters(): Promise<NetworkCounters>
  /** Ends the use of the network; no process of the job may run any more. */
  release(): Promise<void>
}

/** Connections that the host opens for a job: to the addresses that the job may reach, at its rate. */
export interface DeploymentEgress extends Egress {
  /** The same, for another native addon. */
  readonly handle: NativeHandle<'egress'>
  /** Since the network was made, the same for both faces. */
  counters(): NetworkCounters
}

/** A job's network, and what the host does in it and for it. Every face ends with `release`. */
export interface JobNetwork extends KernelNetwork, Pick<Inside, 'handle' | 'listen' | 'connect'> {
  readonly egress: DeploymentEgress
}

/** The deployment, and its job, for which a network is opened. */
export interface NetworkOwner {
  /** Id of the deployment, whose jobs share limits. */
  deployment: string
  /** Host uids of the job, `count` from `uid` on. */
  uid: number
  count: number
  /** Most new connections of an execution; 0: no limit. */
  maxConnections: number
}

/** The networks of this host. */
export interface Networks<Network = JobNetwork> {
  readonly state: NetworkState
  /**
   * What is missing, as in `state`; limits that work in another way than they should; and what
   * blocks traffic.
   */
  readonly shortfalls: readonly Shortfall[]
  /** @throws StartError NETWORK_UNAVAILABLE */
  open(owner: NetworkOwner): Promise<Network>
  /** Keeps a network ready for the next new deployment. */
  keepSpare(): void
  close(): Promise<void>
}
