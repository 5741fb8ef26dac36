/**
 * Deployment file → who the deployment is, with a default for everything the file leaves out.
 * @module
 */
import { createHash } from 'node:crypto'
import { encodeSs58, type Deployment } from '@causeway/manifest'
import type { DeploymentLabel, PrivateKeys } from '../signer/derivation.ts'
import { derivePrivateKeys, deriveAccount } from '../signer/derivation.ts'
import { readImportedKeys, type ImportedKeys } from '../signer/imported-keys.ts'
import { StartError } from '../start-error.ts'

/** Identity of a deployment on this processor. */
export interface Identity {
  id: string
  origin: { kind: string; source: string }
  processor: {
    /** Public key of the account, ed25519, 32 bytes. */
    account: Uint8Array
    /** Its SS58 address. */
    address: string
  }
}

/** Settings of the processor that an identity depends on. */
export interface ProcessorSettings {
  ss58Prefix: number
  originKind: string
}

// 12 hex digits: every value is a safe integer and the collision of two paths is out of reach.
const defaultIdHexDigits = 12

/** Who the deployment is; an id comes from the file's path, a source from the processor's account. */
export function identify(
  deployment: Deployment,
  root: Uint8Array,
  settings: ProcessorSettings,
): Identity {
  const account = deriveAccount(root)
  return {
    id: deployment.id ?? defaultId(deployment.file),
    origin: {
      kind: deployment.origin.kind ?? settings.originKind,
      source: deployment.origin.source ?? Buffer.from(account).toString('hex'),
    },
    processor: { account, address: encodeSs58(account, settings.ss58Prefix) },
  }
}

/**
 * The deployment's private keys: derived, with those of its `keys` file in their place.
 * @throws StartError KEYS_INVALID naming file and field
 */
export function deploymentKeys(
  deployment: Deployment,
  { id, origin }: Identity,
  root: Uint8Array,
): PrivateKeys {
  const label: DeploymentLabel = {
    originKind: origin.kind,
    source: Buffer.from(origin.source, 'hex'),
    id,
  }
  const imported = importedKeys(deployment)
  const derived = derivePrivateKeys(root, label)
  replaceKeys(derived.signing, imported.signing)
  replaceKeys(derived.encryption, imported.encryption)
  return derived
}

/**
 * Reads a deployment's `keys` file only to see that it is right.
 * @throws StartError KEYS_INVALID naming file and field
 */
export function checkKeysFile(deployment: Deployment): void {
  const keys = importedKeys(deployment)
  for (const key of [...Object.values(keys.signing), ...Object.values(keys.encryption)]) key.fill(0)
}

function importedKeys({ keys }: Deployment): ImportedKeys {
  if (keys === undefined) return { signing: {}, encryption: {} }
  try {
    return readImportedKeys(keys)
  } catch (cause) {
    throw new StartError('KEYS_INVALID', (cause as Error).message, { cause })
  }
}

/** Puts keys in the place of others, which are zeroed. */
function replaceKeys<C extends string>(
  keys: Record<C, Uint8Array>,
  imported: Partial<Record<C, Uint8Array>>,
): void {
  for (const [curve, key] of Object.entries(imported) as [C, Uint8Array][]) {
    keys[curve].fill(0)
    keys[curve] = key
  }
}

function defaultId(file: string): string {
  const digest = createHash('sha256').update(file).digest('hex')
  return BigInt(`0x${digest.slice(0, defaultIdHexDigits)}`).toString()
}
