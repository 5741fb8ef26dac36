/**
 * The contract of the bridge: every wire name with its params, result and facts. The host's method
 * table must implement it, and the client's types come from it.
 * @module
 */
import type { DeploymentMethods } from './deployment.ts'
import type { DiscoverMethods } from './discover.ts'
import type { MethodFacts } from './facts.ts'
import type { NetworkMethods } from './network.ts'
import type { ProcessorMethods } from './processor.ts'
import type { SignerMethods } from './signer.ts'

/** Wire name → `{params, result}`. */
export interface Methods
  extends ProcessorMethods, DeploymentMethods, SignerMethods, NetworkMethods, DiscoverMethods {}
export type MethodName = keyof Methods
export type MethodParams<M extends MethodName> = Methods[M]['params']
export type MethodResult<M extends MethodName> = Methods[M]['result']

const since1250: MethodFacts = { since: '1.25.0', platform: 'any' }

export const methodFacts: { readonly [M in MethodName]: MethodFacts } = {
  processor_version: since1250,
  deployment_id: since1250,
  deployment_ipfsHash: since1250,
  deployment_slot: since1250,
  deployment_publicKeys: since1250,
  deployment_encryptionKeys: since1250,
  deployment_assignedProcessors: since1250,
  signer_publicKey: since1250,
  signer_sign: since1250,
  signer_encrypt: since1250,
  signer_decrypt: since1250,
  network_whitelist: since1250,
  // An addition to the bridge spec: other implementations may lack it at any level.
  'rpc.discover': since1250,
}
