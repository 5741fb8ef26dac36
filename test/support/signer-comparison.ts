/**
 * Native signatures beside noble's.
 * @module
 */
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import { slots } from '../../runtime/src/signer/backend.ts'
import { times } from './effort.ts'
import { hex } from './hex.ts'
import { native, openKeys } from './signer-backends.ts'
import { checkEach, type RandomSource } from './signer-random.ts'
import { randomKey, referencePublicKey, referenceSignature } from './signer-reference.ts'

const signaturesOfKey = 100

/** Of each curve in one run. */
export const signatureCount = times({ short: 20_000, long: 100_000 })

/**
 * Compares the public keys and {@link signatureCount} signatures of random keys, 100 of each; gives
 * how many.
 * @param draw what is signed: a digest or a message
 */
export function compareSignatures(
  curve: SigningCurve,
  draw: (random: RandomSource) => Uint8Array,
): Promise<number> {
  return checkEach(curve, signatureCount / signaturesOfKey, (random) => {
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

/** @throws Error with both in hex */
export function expectSame(what: string, found: Uint8Array, expected: Uint8Array): void {
  if (Buffer.compare(found, expected) === 0) return
  throw new Error(`${what}: expected ${hex(expected)}, found ${hex(found)}`)
}
