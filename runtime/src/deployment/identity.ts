/** Derives a deployment's identity from its file, with a default for every absent field. @module */
import { createHash } from 'node:crypto'
import { encodeSs58, type Deployment } from '@causeway/manifest'
import {
  noKeys,
  orKeysInvalid,
  readImportedKeys,
  wipeImported,
  type ImportedKeys,
} from '../signer/imported/imported-keys.ts'
import type { DeploymentLabel, SignerBackend } from '../signer/backend.ts'

/** Identity of a deployment on this processor. */
export interface Identity {
  id: string
  origin: { kind: string; source: string }
  processor: {
    /** Public key of the account, ed25519, 32 bytes. */
    account: Uint8Array
    /** SS58 address of the account. */
    address: string
  }
}

/** The part of a deployment that its identity and its keys come from. */
export type IdentityFields = Pick<Deployment, 'file' | 'id' | 'origin' | 'keys'>

/** Settings of the processor that an identity depends on. */
export interface ProcessorSettings {
  ss58Prefix: number
  originKind: string
}

// 12 hex digits: every value is a safe integer and the collision of two paths is out of reach.
const defaultIdHexDigits = 12

/**
 * The deployment's identity. Defaults: an id from the file's path, the account as the source.
 * @param account public key of the processor's account
 */
export function identify(
  deployment: IdentityFields,
  account: Uint8Array,
  settings: ProcessorSettings,
): Identity {
  return {
    id: deployment.id ?? defaultId(deployment.file),
    origin: {
      kind: deployment.origin.kind ?? settings.originKind,
      source: deployment.origin.source ?? Buffer.from(account).toString('hex'),
    },
    processor: { account, address: encodeSs58(account, settings.ss58Prefix) },
  }
}

/** The label that, with the root secret, determines the deployment's keys. */
export function labelOf({ id, origin }: Pick<Identity, 'id' | 'origin'>): DeploymentLabel {
  return { originKind: origin.kind, source: Buffer.from(origin.source, 'hex'), id }
}

/**
 * The keys of a deployment's `keys` file; `noKeys` when it names no file.
 * @throws StartError KEYS_INVALID naming file and field
 */
export function importedKeysOf(
  { keys }: IdentityFields,
  { isPrivateKey }: Pick<SignerBackend, 'isPrivateKey'>,
): ImportedKeys {
  return keys === undefined ? noKeys : orKeysInvalid(() => readImportedKeys(keys, isPrivateKey))
}

/** Checks a deployment's `keys` file. @throws StartError KEYS_INVALID */
export function checkKeysFile(
  deployment: IdentityFields,
  backend: Pick<SignerBackend, 'isPrivateKey'>,
): void {
  wipeImported(importedKeysOf(deployment, backend))
}

function defaultId(file: string): string {
  const digest = createHash('sha256').update(file).digest('hex')
  return BigInt(`0x${digest.slice(0, defaultIdHexDigits)}`).toString()
}
