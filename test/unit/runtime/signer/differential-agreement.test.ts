/**
 * Compares three implementations of each agreement: native, portable, and noble with node:crypto.
 */
import { describe, expect, it } from 'vitest'
import { encryptionCurves, type EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { slots, type SignerBackend } from '../../../../runtime/src/signer/backend.ts'
import { grouped, times } from '../../../support/effort.ts'
import { native, openKeys, portable } from '../../../support/signer-backends.ts'
import { expectSame } from '../../../support/signer-comparison.ts'
import { checkEach, type RandomSource } from '../../../support/signer-random.ts'
import {
  cipherKey,
  randomKey,
  sealWith,
  unsealWith,
  weierstrass,
} from '../../../support/signer-reference.ts'

const count = times({ short: 100, long: 2000 })

interface Case {
  curve: EncryptionCurve
  own: Uint8Array
  peer: Uint8Array
  salt: Uint8Array
}

/** One side's encryption and decryption. */
function side(backend: SignerBackend, { curve, own, peer, salt }: Case, isCompressed: boolean) {
  const keys = openKeys(backend, { signing: {}, encryption: { [curve]: own } })
  const slot = slots.encryption[curve]
  const agreement = { peerPublicKey: weierstrass[curve].getPublicKey(peer, isCompressed), salt }
  const taken = (outcome: Uint8Array | string) => {
    if (typeof outcome === 'string') throw new Error(`${backend.name}: ${outcome}`)
    return outcome
  }
  return {
    seal: (plaintext: Uint8Array) => taken(keys.encrypt(slot, agreement, plaintext)),
    unseal: (sealed: Uint8Array) => taken(keys.decrypt(slot, agreement, sealed)),
    close: () => keys.destroy(),
  }
}

function referenceKey({ curve, own, peer, salt }: Case): Uint8Array {
  const { getPublicKey, getSharedSecret } = weierstrass[curve]
  const publicKeys = [getPublicKey(own, true), getPublicKey(peer, true)] as const
  return cipherKey(curve, getSharedSecret(own, publicKeys[1]).subarray(1), salt, publicKeys)
}

function drawCase(random: RandomSource, curve: EncryptionCurve): Case {
  const own = randomKey(random, curve)
  // One time in fifty, both sides have the same key.
  const peer = random.below(50) === 0 ? own : randomKey(random, curve)
  return { curve, own, peer, salt: random.bytes(random.below(80)) }
}

function checkAgreement(random: RandomSource, curve: EncryptionCurve): number {
  const drawn = drawCase(random, curve)
  const plaintext = random.bytes(random.below(200))
  const key = referenceKey(drawn)
  const mine = side(native, drawn, random.below(2) === 0)
  const theirs = side(portable, { ...drawn, own: drawn.peer, peer: drawn.own }, true)
  const sealed = mine.seal(plaintext)
  expectSame('native, opened by the reference', unsealWith(key, sealed), plaintext)
  expectSame('native, opened by portable', theirs.unseal(sealed), plaintext)
  expectSame('portable, opened by native', mine.unseal(theirs.seal(plaintext)), plaintext)
  const other = sealWith(key, random.bytes(12), plaintext)
  expectSame('the reference, opened by native', mine.unseal(other), plaintext)
  mine.close()
  theirs.close()
  return 1
}

describe.each(encryptionCurves)('%s', (curve) => {
  it(`${grouped(count)} agreements have the same result in all three, in both directions`, async () => {
    const check = (random: RandomSource) => checkAgreement(random, curve)
    expect(await checkEach(`agreement ${curve}`, count, check)).toBe(count)
  }, 600_000)
})
