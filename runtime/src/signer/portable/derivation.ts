/**
 * Derives keys from the root secret, over noble; `docs/keys.md` has the bytes and test vectors.
 * @module
 */
import { mapHashToField } from '@noble/curves/abstract/modular.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { derivationInfo, derivationSalt } from '../labels.ts'
import type { DeploymentLabel, PrivateKeys } from '../backend.ts'
import { wiping } from '../secret-bytes.ts'

// 16 bytes more than the order, so that the reduced scalar's bias is below 2^-128.
const scalarMaterialBytes = 48
const hdSeedBytes = 64
const seedBytes = 32
const salt = Buffer.from(derivationSalt)

/** All keys of one deployment. */
export function derivePrivateKeys(root: Uint8Array, label: DeploymentLabel): PrivateKeys {
  const material = (purpose: string, curve: string, bytes: number) =>
    deriveBytes(root, derivationInfo(label, purpose, curve), bytes)
  const scalar = (purpose: string, curve: 'p256' | 'secp256k1') =>
    toScalar(material(purpose, curve, scalarMaterialBytes), curve)
  return {
    signing: {
      p256: scalar('sign', 'p256'),
      secp256k1: scalar('sign', 'secp256k1'),
      ed25519: material('sign', 'ed25519', seedBytes),
    },
    encryption: { p256: scalar('enc', 'p256'), secp256k1: scalar('enc', 'secp256k1') },
    hdSeed: material('hd', 'secp256k1', hdSeedBytes),
  }
}

/** HKDF-SHA256 (RFC 5869). node:crypto limits info to 1024 bytes, and labels have no limit. */
export function deriveBytes(root: Uint8Array, info: Uint8Array, bytes: number): Uint8Array {
  return hkdf(sha256, root, salt, info, bytes)
}

/** `(material mod (n - 1)) + 1`, big-endian, 32 bytes: never zero, uniform to 2^-128. */
function toScalar(material: Uint8Array, curve: 'p256' | 'secp256k1'): Uint8Array {
  const order = (curve === 'p256' ? p256 : secp256k1).Point.Fn.ORDER
  return wiping(material, () => mapHashToField(material, order))
}
