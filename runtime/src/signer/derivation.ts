/**
 * Root secret → keys. The byte-level description with vectors is `docs/keys.md`.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { mapHashToField } from '@noble/curves/abstract/modular.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'

/** Which deployment on which network; the three together are its identity. */
export interface DeploymentLabel {
  originKind: string
  /** Raw bytes of the owner's account identifier. */
  source: Uint8Array
  id: string
}

/** Private keys by purpose and curve; the owner zeroes them. */
export interface PrivateKeys {
  signing: { p256: Uint8Array; secp256k1: Uint8Array; ed25519: Uint8Array }
  encryption: { p256: Uint8Array; secp256k1: Uint8Array }
  /** BIP-32 master seed, 64 bytes. */
  hdSeed: Uint8Array
}

const salt = Buffer.from('bridge-keys/v1')
// 16 bytes more than the order, so that the reduced scalar's bias is below 2^-128.
const scalarMaterialBytes = 48
const hdSeedBytes = 64
const seedBytes = 32

/** All keys of one deployment. */
export function derivePrivateKeys(root: Uint8Array, deployment: DeploymentLabel): PrivateKeys {
  const labels = [deployment.originKind, deployment.source, deployment.id]
  const scalar = (purpose: string, curve: 'p256' | 'secp256k1') =>
    toScalar(derive(root, [...labels, purpose, curve], scalarMaterialBytes), curve)
  return {
    signing: {
      p256: scalar('sign', 'p256'),
      secp256k1: scalar('sign', 'secp256k1'),
      ed25519: derive(root, [...labels, 'sign', 'ed25519'], seedBytes),
    },
    encryption: { p256: scalar('enc', 'p256'), secp256k1: scalar('enc', 'secp256k1') },
    hdSeed: derive(root, [...labels, 'hd', 'secp256k1'], hdSeedBytes),
  }
}

/** Public key of the processor's account, ed25519, 32 bytes. No deployment has an empty id. */
export function deriveAccount(root: Uint8Array): Uint8Array {
  const seed = derive(root, ['', '', '', 'account', 'ed25519'], seedBytes)
  try {
    return ed25519.getPublicKey(seed)
  } finally {
    seed.fill(0)
  }
}

/** HKDF-SHA256 (RFC 5869) over length-prefixed labels, so that no two lists of labels collide. */
function derive(root: Uint8Array, labels: (string | Uint8Array)[], bytes: number): Uint8Array {
  const info = Buffer.concat(labels.map(lengthPrefixed))
  // node:crypto's takes no more than 1024 bytes of info, and an origin's kind has no such limit.
  return hkdf(sha256, root, salt, info, bytes)
}

/** `u32 big-endian length || bytes`; text is UTF-8. */
function lengthPrefixed(label: string | Uint8Array): Buffer {
  const bytes = Buffer.from(label)
  const prefix = Buffer.alloc(4)
  prefix.writeUInt32BE(bytes.length)
  return Buffer.concat([prefix, bytes])
}

/** `(material mod (n - 1)) + 1`, big-endian, 32 bytes: never zero, uniform to 2^-128. */
function toScalar(material: Uint8Array, curve: 'p256' | 'secp256k1'): Uint8Array {
  const order = (curve === 'p256' ? p256 : secp256k1).Point.Fn.ORDER
  try {
    return mapHashToField(material, order)
  } finally {
    material.fill(0)
  }
}
