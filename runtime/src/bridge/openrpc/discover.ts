/**
 * Handler of `rpc.discover`: lists the methods that this bridge serves to its deployment.
 * @module
 */
import type { DiscoverMethods } from '@causeway/guest-sdk/protocol'
import { availability, methodNames, type GateOptions } from '../gate.ts'
import type { Handlers } from '../methods.ts'
import { describeMethod, openRpcDocument, type HostFacts } from './openrpc.ts'

/** @param options options of the bridge's gate; refused methods are listed as not available */
export function discoverHandlers(
  options: GateOptions & HostFacts,
): Handlers<keyof DiscoverMethods> {
  const methods = methodNames.map((name) => ({
    ...describeMethod(name),
    'x-availability': availability(name, options),
  }))
  const document = openRpcDocument(options, methods)
  return { 'rpc.discover': () => document }
}
