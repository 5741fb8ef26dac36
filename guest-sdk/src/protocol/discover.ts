import type { MethodFacts } from './facts.ts'

/** A JSON Schema, draft 7. */
export type JsonSchema = Record<string, unknown>

/** One positional parameter, or a result. */
export interface ContentDescriptor {
  name: string
  required?: boolean
  schema: JsonSchema
}

/** An error code of one method, beyond the codes that every call may answer. */
export interface DiscoveredError {
  code: number
  message: string
  /** Keys of the document's `x-errors`. */
  data: { kinds: string[] }
}

/** Facts about a method that are equal on every host. */
export interface MethodDescription {
  name: string
  summary: string
  paramStructure: 'by-position'
  params: ContentDescriptor[]
  result: ContentDescriptor
  errors: DiscoveredError[]
  'x-since': MethodFacts['since']
  'x-platform': MethodFacts['platform']
  /** The rate and deadline class that the method counts in, such as `read`, `key` or `network`. */
  'x-class': string
}

/** Whether the caller may use a method on this host. */
export interface MethodAvailability {
  available: boolean
  /** `version`: above the host's bridge level. `policy`: not granted to this deployment. */
  reason?: 'version' | 'policy'
  /** The reason in words. */
  message?: string
}

/** One method of one bridge. */
export interface DiscoveredMethod extends MethodDescription {
  'x-availability': MethodAvailability
}

/** The meaning of an error kind. */
export interface ErrorDescription {
  code: number
  description: string
  /** Whether the same call may succeed later; `after`: if the error has `retryAfterMs`. */
  retry: 'no' | 'yes' | 'after'
}

/** The limits on the job's connections to addresses that are not whitelisted. */
export interface DiscoveredNetwork {
  /**
   * `isolated`: the deployment has its own network; `shared`: it uses the host's, limited by its
   * user; `none`: it uses the host's.
   */
  mode: 'isolated' | 'shared' | 'none'
  /** Whether the kernel enforces the limits; else `network_whitelist` only verifies. */
  enforced: boolean
  /** New connections to addresses that are not whitelisted; absent if nothing is enforced. */
  connectionsPerSecond?: number
  /** How many connections may start at once before that rate applies. */
  connectionBurst?: number
}

/** Facts about the host in the document. */
export interface DiscoveredInfo {
  title: string
  /** The host's bridge level. */
  version: string
  /**
   * Where the host signs: in native memory, or in JavaScript (`portable`), which is slower and may
   * leave copies of keys in the host's memory.
   */
  'x-signer'?: 'native' | 'portable'
  'x-network'?: DiscoveredNetwork
}

/** An OpenRPC 1.3 document with the additions of JSON-RPC and this bridge. */
export interface OpenRpcDocument<M extends MethodDescription = DiscoveredMethod> {
  openrpc: '1.3.2'
  info: DiscoveredInfo
  methods: M[]
  /** Every error kind. */
  'x-errors': Record<string, ErrorDescription>
}

export interface DiscoverMethods {
  /** Every method, whether the caller may use it, and if not, why. */
  'rpc.discover': { params: []; result: OpenRpcDocument }
}
