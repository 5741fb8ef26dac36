/**
 * The entry point of the SDK: `connect()` returns a client whose namespaces mirror the wire.
 * @module
 */
import { createCall, type Call, type CallOptions, type ConnectOptions } from './call.ts'
import { createDeployment, type Deployment } from './deployment.ts'
import { createProcessor, type Processor } from './processor.ts'
import { createNetwork, type Network } from './network.ts'
import type { OpenRpcDocument } from './protocol/index.ts'
import { createSigner, type Signer } from './signer.ts'

/** A client of one deployment's bridge. */
export interface Bridge {
  readonly processor: Processor
  readonly deployment: Deployment
  readonly signer: Signer
  readonly network: Network
  /** Every method of the host, and whether this job may use it (`rpc.discover`). */
  discover(options?: CallOptions): Promise<OpenRpcDocument>
  /** Calls any method by its wire name, with params and result as on the wire. */
  readonly call: Call
}

/**
 * A client for the bridge named by `$BRIDGE_SOCKET`. It connects at the first call; each call is
 * one connection.
 * @example
 * const bridge = connect()
 * const { id } = await bridge.deployment.id()
 */
export function connect(options: ConnectOptions = {}): Bridge {
  const call = createCall(options)
  return {
    processor: createProcessor(call),
    deployment: createDeployment(call),
    signer: createSigner(call),
    network: createNetwork(call),
    discover: (options) => call('rpc.discover', [], options),
    call,
  }
}
