/**
 * Common verifiers with default options accept our signatures. They refuse a high s, so ours is low
 * on both curves.
 */
import { createHash, randomBytes } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { signingCurves } from '@causeway/guest-sdk/protocol'
import { slots } from '../../../../runtime/src/signer/backend.ts'
import { backends, openKeys } from '../../../support/signer-backends.ts'
import { verifiers, type Signed } from '../../../support/signer-verifiers.ts'

const hdSlot = slots.firstDerived
const slotsUnderTest = [
  ...signingCurves.map((curve) => ({ name: curve, curve, slot: slots.signing[curve] })),
  { name: 'an HD key', curve: 'secp256k1' as const, slot: hdSlot },
]

describe.each(backends)('$name', (backend) => {
  const keys = openKeys(backend, { signing: {}, encryption: {} })
  keys.derive(hdSlot, [0x8000002c, 0x8000003c, 0x80000000, 0, 0])

  describe.each(slotsUnderTest)('$name', ({ curve, slot }) => {
    const signed: Signed[] = Array.from({ length: 20 }, (_, length) => {
      const message = randomBytes(1 + length * 7)
      const input = curve === 'ed25519' ? message : createHash('sha256').update(message).digest()
      return { curve, publicKey: keys.publicKey(slot), message, signature: keys.sign(slot, input) }
    })
    const changed = signed.map((one, index) => ({
      ...one,
      signature: Uint8Array.from(one.signature).with(index * 3, one.signature[index * 3]! ^ 1),
    }))
    const ofAnother = signed.map((one, index) => ({
      ...one,
      message: signed[(index + 1) % signed.length]!.message,
    }))

    it.each(Object.entries(verifiers))(
      'verifies in %s, and no changed signature does',
      (_, verify) => {
        expect(verify(signed)).toEqual(signed.map(() => true))
        expect(verify([...changed, ...ofAnother])).toEqual(
          [...changed, ...ofAnother].map(() => false),
        )
      },
    )
  })
})
