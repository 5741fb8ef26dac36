/**
 * Secrets that are not keys but reveal one: nonces, the scalars of ed25519, the shared values of an
 * encryption.
 * @module
 */
import { createHash } from 'node:crypto'
import { HDKey } from '@scure/bip32'
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import type { Secret } from './signer-needles.ts'
import {
  cipherKey,
  orders,
  referenceSignature,
  toBytes,
  toNumber,
  weierstrass,
} from './signer-reference.ts'

type EcdsaCurve = 'p256' | 'secp256k1'

/** The nonce of a signature by its key: s⁻¹ (z + r d), or the negative when s was made low. */
export function noncesOf(curve: EcdsaCurve, key: Uint8Array, digest: Uint8Array): Secret[] {
  const n = orders[curve]
  const { Fn, BASE } = weierstrass[curve].Point
  const signature = referenceSignature(curve, key, digest)
  const [r, s] = [signature.subarray(0, 32), signature.subarray(32)].map(toNumber) as [
    bigint,
    bigint,
  ]
  const nonce = (Fn.inv(s) * (toNumber(digest) + r * toNumber(key))) % n
  if (BASE.multiply(nonce).x % n !== r) throw new Error('that is not the nonce')
  const numbers = { nonce, opposite: n - nonce, inverse: Fn.inv(nonce) }
  return Object.entries(numbers).map(([name, number]) => ({
    name: `${name} of ${curve}`,
    bytes: toBytes(number),
  }))
}

/** The halves of SHA-512 of an ed25519 seed; the first signs, with some bits set or cleared. */
export function ed25519Halves(seed: Uint8Array): Secret[] {
  const digest = createHash('sha512').update(seed).digest()
  const scalar = digest.subarray(0, 32)
  scalar[0]! &= 0xf8
  scalar[31] = (scalar[31]! & 0x7f) | 0x40
  return [
    { name: 'scalar of ed25519', bytes: scalar },
    { name: 'prefix of ed25519', bytes: digest.subarray(32) },
  ]
}

/** The shared x of a key with itself, and the AES key with a salt. */
export function sharedSecrets(
  curve: EncryptionCurve,
  key: Uint8Array,
  peer: Uint8Array,
  salt: Uint8Array,
): Secret[] {
  const own = weierstrass[curve].getPublicKey(key)
  const sharedX = weierstrass[curve].getSharedSecret(key, peer).subarray(1)
  const aes = cipherKey(curve, sharedX, salt, [own, peer])
  return [
    { name: `shared x of ${curve}`, bytes: sharedX },
    { name: `AES key of ${curve}`, bytes: aes },
  ]
}

/** Private keys and chain codes from a seed to a child. */
export function hdSecrets(seed: Uint8Array, path: readonly number[]): Secret[] {
  const steps = path.map((_, depth) => path.slice(0, depth + 1))
  return [[], ...steps].flatMap((indexes) => {
    const key = indexes.reduce(
      (parent, index) => parent.deriveChild(index),
      HDKey.fromMasterSeed(seed),
    )
    const name = ['m', ...indexes].join('/')
    return [
      { name: `key of ${name}`, bytes: key.privateKey! },
      { name: `chain code of ${name}`, bytes: key.chainCode! },
    ]
  })
}
