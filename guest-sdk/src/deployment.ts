import type { Call, CallOptions } from './call.ts'
import { fromHex } from './hex.ts'
import { member } from './member.ts'
import type {
  AssignedProcessor,
  DeploymentId,
  EncryptionCurve,
  SigningCurve,
} from './protocol/index.ts'

/** The identity of the job's deployment. */
export interface Deployment {
  /** Identifier and origin; `origin.source` stays hex, as the network writes it (`deployment_id`). */
  id(options?: CallOptions): Promise<DeploymentId>
  /** CID of the deployed bundle (`deployment_ipfsHash`). */
  ipfsHash(options?: CallOptions): Promise<string>
  /** Index of this processor among the assigned ones, or null (`deployment_slot`). */
  slot(options?: CallOptions): Promise<number | null>
  /** Signing keys: 33 bytes compressed, ed25519 32 bytes (`deployment_publicKeys`). */
  publicKeys(options?: CallOptions): Promise<Partial<Record<SigningCurve, Uint8Array>>>
  /** Encryption keys, 33 bytes compressed (`deployment_encryptionKeys`). */
  encryptionKeys(options?: CallOptions): Promise<Partial<Record<EncryptionCurve, Uint8Array>>>
  /** Each processor's hex keys, by SS58 address (`deployment_assignedProcessors`). */
  assignedProcessors(options?: CallOptions): Promise<Record<string, AssignedProcessor>>
}

export function createDeployment(call: Call): Deployment {
  return {
    id: (options) => call('deployment_id', [], options),
    ipfsHash: async (options) => member(await call('deployment_ipfsHash', [], options), 'ipfsHash'),
    slot: async (options) => member(await call('deployment_slot', [], options), 'slot'),
    publicKeys: async (options) =>
      keyBytes(member(await call('deployment_publicKeys', [], options), 'publicKeys')),
    encryptionKeys: async (options) =>
      keyBytes(member(await call('deployment_encryptionKeys', [], options), 'encryptionKeys')),
    assignedProcessors: async (options) =>
      member(await call('deployment_assignedProcessors', [], options), 'processors'),
  }
}

function keyBytes<C extends string>(
  keys: Partial<Record<C, string>>,
): Partial<Record<C, Uint8Array>> {
  const entries = Object.entries<string | undefined>(keys)
  return Object.fromEntries(
    entries.flatMap(([curve, hex]) => (hex ? [[curve, fromHex(hex)]] : [])),
  ) as Partial<Record<C, Uint8Array>>
}
