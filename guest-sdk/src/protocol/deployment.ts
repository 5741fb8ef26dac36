import type { EncryptionCurve, Hex, SigningCurve } from './values.ts'

/** Who deployed the job. */
export interface DeploymentOrigin {
  /** The network's own name for the kind of account, passed on as the operator configured it. */
  kind: string
  /** The owner's account identifier; 32 bytes on the networks that `network_whitelist` serves. */
  source: Hex
}

/** Result of `deployment_id`. */
export interface DeploymentId {
  /** Unique together with `origin`; usually decimal digits. */
  id: string
  origin: DeploymentOrigin
}

/** Signing keys of one processor for this deployment: SEC1 compressed (33 bytes), ed25519 32 bytes. */
export type SigningKeys = Partial<Record<SigningCurve, Hex>>

/** Encryption keys of one processor for this deployment: SEC1 compressed, 33 bytes. */
export type EncryptionKeys = Partial<Record<EncryptionCurve, Hex>>

/** One processor's entry in `deployment_assignedProcessors`. */
export interface AssignedProcessor extends SigningKeys {
  encP256?: Hex
  encSecp256k1?: Hex
}

export interface DeploymentMethods {
  /** The deployment's identifier and who deployed it. */
  deployment_id: { params: []; result: DeploymentId }
  /** CID of the deployed bundle. */
  deployment_ipfsHash: { params: []; result: { ipfsHash: string } }
  /** Index of this processor among the assigned ones; null when no slot is assigned. */
  deployment_slot: { params: []; result: { slot: number | null } }
  /** This deployment's signing keys on this processor; only curves that have a key. */
  deployment_publicKeys: { params: []; result: { publicKeys: SigningKeys } }
  /** This deployment's encryption keys on this processor; distinct from the signing keys. */
  deployment_encryptionKeys: { params: []; result: { encryptionKeys: EncryptionKeys } }
  /** Every processor that runs this deployment, by SS58 address; this processor exactly once. */
  deployment_assignedProcessors: {
    params: []
    result: { processors: Record<string, AssignedProcessor> }
  }
}
