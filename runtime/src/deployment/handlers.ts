/**
 * Handlers of `deployment_*`: the identity of the deployment, and the processors that run it.
 * @module
 */
import type {
  AssignedProcessor,
  DeploymentMethods,
  DeploymentOrigin,
} from '@causeway/guest-sdk/protocol'
import { toHex } from '../bridge/hex.ts'
import type { Handlers } from '../bridge/methods.ts'

/** Facts of one deployment that the bridge returns. */
export interface DeploymentFacts {
  id: string
  origin: DeploymentOrigin
  ipfsHash: string
  slot: number | null
  /** SS58 address of this processor. */
  processorAddress: string
  /** Other processors' entries. */
  assignedProcessors: Readonly<Record<string, AssignedProcessor>>
  /** Public signing and encryption keys of this deployment, bytes. */
  publicKeys: Readonly<Record<'p256' | 'secp256k1' | 'ed25519', Uint8Array>>
  encryptionKeys: Readonly<Record<'p256' | 'secp256k1', Uint8Array>>
}

export function deploymentHandlers(facts: DeploymentFacts): Handlers<keyof DeploymentMethods> {
  const publicKeys = hexValues(facts.publicKeys)
  const encryptionKeys = hexValues(facts.encryptionKeys)
  const own: AssignedProcessor = {
    ...publicKeys,
    encP256: encryptionKeys.p256,
    encSecp256k1: encryptionKeys.secp256k1,
  }
  const processors = { ...facts.assignedProcessors, [facts.processorAddress]: own }
  return {
    deployment_id: () => ({ id: facts.id, origin: facts.origin }),
    deployment_ipfsHash: () => ({ ipfsHash: facts.ipfsHash }),
    deployment_slot: () => ({ slot: facts.slot }),
    deployment_publicKeys: () => ({ publicKeys }),
    deployment_encryptionKeys: () => ({ encryptionKeys }),
    deployment_assignedProcessors: () => ({ processors }),
  }
}

export function hexValues<C extends string>(
  keys: Readonly<Record<C, Uint8Array>>,
): Record<C, string> {
  const entries = Object.entries<Uint8Array>(keys).map(([curve, key]) => [curve, toHex(key)])
  return Object.fromEntries(entries) as Record<C, string>
}
