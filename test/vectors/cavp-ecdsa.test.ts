/**
 * NIST's and pyca's ECDSA signatures. Theirs come from a nonce of their own choice, ours from
 * RFC 6979's, so that ours cannot be the same bytes. What must be the same is the public key, and
 * the r of their nonce; and whoever takes their signatures must take ours. (The s of their nonces
 * is checked in `test/unit/native/p256-inverse.test.ts`.)
 */
import { createPublicKey, verify } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { slots } from '../../runtime/src/signer/backend.ts'
import { hex } from '../support/hex.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import { orders, toBytes, toNumber } from '../support/signer-reference.ts'
import { digestOf, hashOf, messageOf } from './cavp-digest.ts'
import { parseVectors, wordOf, type Vector } from './debian-vectors.ts'

interface Suite {
  curve: 'p256' | 'secp256k1'
  jwkName: string
  vectors: Vector[]
  count: number
}

const suites: Suite[] = [
  {
    curve: 'p256',
    jwkName: 'P-256',
    vectors: parseVectors('asymmetric/ECDSA/FIPS_186-3/SigGen.txt').filter(({ section }) =>
      section.startsWith('[P-256,'),
    ),
    count: 5 * 15,
  },
  {
    curve: 'secp256k1',
    jwkName: 'secp256k1',
    vectors: parseVectors('asymmetric/ECDSA/SECP256K1/SigGen.txt'),
    count: 5 * 225,
  },
]

function compressedKey(vector: Vector): string {
  const y = wordOf(vector, 'Qy')
  return (y[31]! & 1 ? '03' : '02') + hex(wordOf(vector, 'Qx'))
}

/** By OpenSSL, from the message on. */
function isVerified(vector: Vector, jwkName: string, signature: Uint8Array): boolean {
  const [x, y] = ['Qx', 'Qy'].map((name) =>
    Buffer.from(wordOf(vector, name)).toString('base64url'),
  ) as [string, string]
  const key = createPublicKey({ key: { kty: 'EC', crv: jwkName, x, y }, format: 'jwk' })
  const options = { key, dsaEncoding: 'ieee-p1363' } as const
  return verify(hashOf(vector), messageOf(vector), options, signature)
}

describe.each(backends)('$name', (backend) => {
  const keysOf = (curve: Suite['curve'], privateKey: Uint8Array) =>
    openKeys(backend, { signing: { [curve]: privateKey }, encryption: {} })
  const publicKeyOf = (curve: Suite['curve'], privateKey: Uint8Array) =>
    keysOf(curve, privateKey).publicKey(slots.signing[curve])

  describe.each(suites)('$curve, $count signatures', ({ curve, jwkName, vectors, count }) => {
    it('are all there', () => expect(vectors).toHaveLength(count))

    it('have our public keys', () => {
      const found = vectors.map((vector) => hex(publicKeyOf(curve, wordOf(vector, 'd'))))
      expect(found).toEqual(vectors.map(compressedKey))
    })

    it('verify, and so do ours of the same digests by the same keys', () => {
      const slot = slots.signing[curve]
      const refused = vectors.filter((vector) => {
        const theirs = Buffer.concat([wordOf(vector, 'R'), wordOf(vector, 'S')])
        const ours = keysOf(curve, wordOf(vector, 'd')).sign(slot, digestOf(vector))
        return ![theirs, ours].every((signature) => isVerified(vector, jwkName, signature))
      })
      expect(refused).toEqual([])
    })

    it('do not verify with one bit changed', () => {
      const slot = slots.signing[curve]
      const accepted = vectors.filter((vector, index) => {
        const changed = keysOf(curve, wordOf(vector, 'd')).sign(slot, digestOf(vector)).slice()
        changed[index % 64]! ^= 1
        return isVerified(vector, jwkName, changed)
      })
      expect(accepted).toEqual([])
    })
  })

  it('the r of NIST’s 75 nonces is ours: x of the nonce’s point modulo the order', () => {
    const withNonce = suites[0]!.vectors.filter(({ fields }) => fields['k'] !== undefined)
    const found = withNonce.map((vector) => {
      const x = toNumber(publicKeyOf('p256', wordOf(vector, 'k')).subarray(1))
      return hex(toBytes(x % orders.p256))
    })
    expect(found).toEqual(withNonce.map((vector) => hex(wordOf(vector, 'R'))))
    expect(found).toHaveLength(75)
  })
})
