/**
 * Labels that keys are derived from; `docs/keys.md` describes the bytes and has test vectors.
 * @module
 */
import type { DeploymentLabel, SealUse } from './backend.ts'

/** HKDF salt of every derivation from the root secret. */
export const derivationSalt = 'bridge-keys/v1'

/** HKDF info. Labels are length-prefixed, so that no two lists of labels collide. */
export function derivationInfo(
  label: DeploymentLabel | 'host',
  purpose: string,
  algorithm: string,
): Buffer {
  return Buffer.concat([labelPrefix(label), lengthPrefixed(purpose), lengthPrefixed(algorithm)])
}

/** HKDF info of the key that seals a deployment's secrets. */
export function sealingInfo({ label, purpose }: SealUse): Buffer {
  return derivationInfo(label, purpose, 'aes-256-gcm')
}

/** The owner's part of the info. The host's fields are empty, and no deployment has an empty id. */
export function labelPrefix(label: DeploymentLabel | 'host'): Buffer {
  const { originKind, source, id } =
    label === 'host' ? { originKind: '', source: '', id: '' } : label
  return Buffer.concat([originKind, source, id].map(lengthPrefixed))
}

/** `u32 big-endian length || bytes`; text is UTF-8. */
function lengthPrefixed(label: string | Uint8Array): Buffer {
  const bytes = Buffer.from(label)
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(bytes.length)
  return Buffer.concat([prefix, bytes])
}
