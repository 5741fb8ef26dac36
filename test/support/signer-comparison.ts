/**
 * Compares native signatures with noble's.
 * @module
 */
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { slots } from '../../runtime/src/signer/backend.ts'
import { hex } from './hex.ts'
import { native, openKeys } from './signer-backends.ts'
import { checkEach, type RandomSource } from './signer-random.ts'
import { randomKey, referencePublicKey, referenceSignature } from './signer-reference.ts'

const signaturesOfKey = 100

/**
 * Compares the public keys and signatures of random keys, 100 signatures each.
 * @param draw makes what is signed: a digest or a message
 * @returns the number of signatures
 */
export function compareSignatures(
  curve: SigningCurve,
  keyCount: number,
  draw: (random: RandomSource) => Uint8Array,
): Promise<number> {
  return checkEach(curve, keyCount, (random) => {
    const key = randomKey(random, curve)
    const slot = slots.signing[curve]
    const keys = openKeys(native, { signing: { [curve]: key }, encryption: {} })
    expectSame(`public key of ${hex(key)}`, keys.publicKey(slot), referencePublicKey(curve, key))
    for (let count = 0; count < signaturesOfKey; count++) {
      const bytes = draw(random)
      const what = `${hex(key)} over ${hex(bytes)}`
      expectSame(what, keys.sign(slot, bytes), referenceSignature(curve, key, bytes))
    }
    keys.destroy()
    return signaturesOfKey
  })
}

/** @throws Error with both values in hex */
export function expectSame(what: string, found: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(found, expected) === 0) return
  throw new Error(`${what}: expected ${hex(expected)}, found ${hex(found)}`)
}
