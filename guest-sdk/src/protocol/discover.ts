import type { MethodFacts } from './facts.ts'

/** A JSON Schema, draft 7. */
export type JsonSchema = Record<string, unknown>

/** One positional parameter, or the result. */
export interface ContentDescriptor {
  name: string
  required?: boolean
  schema: JsonSchema
}

/** An error code that a method may answer beyond those that every call may. */
export interface DiscoveredError {
  code: number
  message: string
  /** Keys of the document's `x-errors`. */
  data: { kinds: string[] }
}

/** What is true of a method on every host. */
export interface MethodDescription {
  name: string
  summary: string
  paramStructure: 'by-position'
  params: ContentDescriptor[]
  result: ContentDescriptor
  errors: DiscoveredError[]
  'x-since': MethodFacts['since']
  'x-platform': MethodFacts['platform']
  /** Whose rate and deadline limits the method counts against, such as `read`, `key` or `network`. */
  'x-class': string
}

/** Whether the caller may use a method on this host. */
export interface MethodAvailability {
  available: boolean
  /** `version`: above the host's bridge level. `policy`: not granted to this deployment. */
  reason?: 'version' | 'policy'
  /** The reason for a person. */
  message?: string
}

/** One method of one bridge. */
export interface DiscoveredMethod extends MethodDescription {
  'x-availability': MethodAvailability
}

/** What an error kind means. */
export interface ErrorDescription {
  code: number
  description: string
  /** Whether the same call may succeed later; `after`: when the error has `retryAfterMs`. */
  retry: 'no' | 'yes' | 'after'
}

/** What limits the job's connections to addresses that are not whitelisted. */
export interface DiscoveredNetwork {
  /**
   * `isolated`: the deployment has a network of its own; `shared`: it uses the host's, with limits
   * by its user; `none`: it uses the host's.
   */
  mode: 'isolated' | 'shared' | 'none'
  /** Whether the kernel keeps the limits; else `network_whitelist` verifies, and changes nothing. */
  enforced: boolean
  /** New connections to addresses that are not whitelisted; absent where nothing is enforced. */
  connectionsPerSecond?: number
  /** How many at once, before that rate holds. */
  connectionBurst?: number
}

/** What the document says of the host. */
export interface DiscoveredInfo {
  title: string
  /** The host's bridge level. */
  version: string
  /**
   * Whether the host signs in native memory, or in JavaScript (`portable`), which is slower and may
   * leave copies of keys in the host's memory.
   */
  'x-signer'?: 'native' | 'portable'
  'x-network'?: DiscoveredNetwork
}

/** An OpenRPC 1.3 document with what JSON-RPC and this bridge add to it. */
export interface OpenRpcDocument<M extends MethodDescription = DiscoveredMethod> {
  openrpc: '1.3.2'
  info: DiscoveredInfo
  methods: M[]
  /** Every error kind. */
  'x-errors': Record<string, ErrorDescription>
}

export interface DiscoverMethods {
  /** Every method with whether the caller may use it, and why not. */
  'rpc.discover': { params: []; result: OpenRpcDocument }
}
