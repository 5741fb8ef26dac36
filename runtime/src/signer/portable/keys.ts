/**
 * A deployment's keys in JavaScript arrays. noble leaves copies of keys in the heap that nobody can
 * zero, which the native backend avoids.
 * @module
 */
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { slots, type Agreement, type PrivateKeys, type SecretKeys } from '../backend.ts'
import { decrypt, encrypt, type KeyedAgreement } from './cipher.ts'
import { publicKeyOf, sign } from './curves.ts'
import { deriveHdKey } from './hd-key.ts'

/** Takes ownership of the arrays and zeroes them on `destroy`. */
export function createPortableKeys(keys: PrivateKeys): SecretKeys {
  const held = [
    keys.signing.p256,
    keys.signing.secp256k1,
    keys.signing.ed25519,
    keys.encryption.p256,
    keys.encryption.secp256k1,
  ]
  const keyed = (slot: number, agreement: Agreement): KeyedAgreement => ({
    ...agreement,
    curve: slot === slots.encryption.p256 ? 'p256' : 'secp256k1',
    privateKey: keyAt(held, slot),
  })
  return {
    publicKey: (slot) => publicKeyOf(curveOf(slot), keyAt(held, slot)),
    sign: (slot, bytes) => sign(curveOf(slot), keyAt(held, slot), bytes),
    encrypt: (slot, agreement, plaintext) => encrypt(keyed(slot, agreement), plaintext),
    decrypt: (slot, agreement, sealed) => decrypt(keyed(slot, agreement), sealed),
    derive(slot, indexes) {
      const derived = deriveHdKey(keys.hdSeed, indexes)
      held[slot]?.fill(0)
      held[slot] = derived
    },
    exportKeys: () => copyOf(keys),
    destroy() {
      for (const key of [...held, keys.hdSeed]) key.fill(0)
    },
  }
}

function curveOf(slot: number): SigningCurve {
  if (slot === slots.signing.ed25519) return 'ed25519'
  return slot === slots.signing.p256 || slot === slots.encryption.p256 ? 'p256' : 'secp256k1'
}

function keyAt(held: readonly Uint8Array[], slot: number): Uint8Array {
  const key = held[slot]
  if (!key) throw new RangeError(`no key in slot ${slot}`)
  return key
}

function copyOf({ signing, encryption, hdSeed }: PrivateKeys): PrivateKeys {
  const { p256, secp256k1, ed25519 } = signing
  return {
    signing: { p256: p256.slice(), secp256k1: secp256k1.slice(), ed25519: ed25519.slice() },
    encryption: { p256: encryption.p256.slice(), secp256k1: encryption.secp256k1.slice() },
    hdSeed: hdSeed.slice(),
  }
}
