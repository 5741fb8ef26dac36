/**
 * The smallest and largest keys and digests.
 */
import { describe, expect, it } from 'vitest'
import { slots } from '../../../../runtime/src/signer/backend.ts'
import { hex } from '../../../support/hex.ts'
import { backends, openKeys } from '../../../support/signer-backends.ts'
import {
  orders,
  referencePublicKey,
  referenceSignature,
  toBytes,
  toNumber,
  weierstrass,
} from '../../../support/signer-reference.ts'

const curves = ['p256', 'secp256k1'] as const
const largest = 2n ** 256n - 1n

const named = (n: bigint): [name: string, value: bigint][] => [
  ['0', 0n],
  ['1', 1n],
  ['2', 2n],
  ['half of n', n / 2n],
  ['half of n, and 1', n / 2n + 1n],
  ['n − 1', n - 1n],
  ['n', n],
  ['n + 1', n + 1n],
  ['2^255', 2n ** 255n],
  ['2^256 − 1', largest],
]

describe.each(backends)('$name', (backend) => {
  describe.each(curves)('%s', (curve) => {
    const n = orders[curve]
    const slot = slots.signing[curve]
    const isKey = (value: bigint) => value > 0n && value < n
    const keys = named(n).filter(([, value]) => isKey(value))

    it.each(named(n))('%s is a private key or not', (_, value) => {
      expect(backend.isPrivateKey(curve, toBytes(value))).toBe(isKey(value))
    })

    it.each([0, 1, 31, 33, 64])('%i bytes are no private key', (length) => {
      expect(backend.isPrivateKey(curve, new Uint8Array(length).fill(1))).toBe(false)
    })

    it.each(keys)('the key %s signs every digest exactly as noble does', (_, value) => {
      const key = toBytes(value)
      const opened = openKeys(backend, { signing: { [curve]: key }, encryption: {} })
      const digests = named(n).map(([, digest]) => toBytes(digest))
      const found = digests.map((digest) => opened.sign(slot, digest))
      expect(hex(opened.publicKey(slot))).toBe(hex(referencePublicKey(curve, key)))
      expect(found.map(hex)).toEqual(
        digests.map((digest) => hex(referenceSignature(curve, key, digest))),
      )
      expect(found.filter((signature) => toNumber(signature.subarray(32)) > n / 2n)).toEqual([])
    })

    it('signatures verify for every digest that is equal modulo n', () => {
      const opened = openKeys(backend, { signing: { [curve]: toBytes(7n) }, encryption: {} })
      const verifies = (digest: bigint, other: bigint) =>
        weierstrass[curve].verify(
          opened.sign(slot, toBytes(digest)),
          toBytes(other),
          opened.publicKey(slot),
          { prehash: false },
        )
      expect(verifies(1n, n + 1n) && verifies(n + 1n, 1n) && verifies(n, 0n)).toBe(true)
      expect(verifies(1n, 2n)).toBe(false)
    })
  })

  it.each([0, 0xff])('ed25519: 32 bytes of %i are a valid key', (byte) => {
    const key = new Uint8Array(32).fill(byte)
    const opened = openKeys(backend, { signing: { ed25519: key }, encryption: {} })
    const { ed25519 } = slots.signing
    const message = Buffer.from('text')
    expect(backend.isPrivateKey('ed25519', key)).toBe(true)
    expect(hex(opened.publicKey(ed25519))).toBe(hex(referencePublicKey('ed25519', key)))
    expect(hex(opened.sign(ed25519, message))).toBe(
      hex(referenceSignature('ed25519', key, message)),
    )
  })
})
