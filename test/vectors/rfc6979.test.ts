import { createHash } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { slots } from '../../runtime/src/signer/backend.ts'
import { bytes, hex } from '../support/hex.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import vectors from './rfc6979-p256.json' with { type: 'json' }

const privateKey = bytes(vectors.privateKey)
const order = BigInt(`0x${vectors.order}`)

/** The bridge sends the lower of s and n − s; the RFC prints whichever came out. */
function lowS(s: string): string {
  const value = BigInt(`0x${s}`)
  const low = value > order / 2n ? order - value : value
  return low.toString(16).padStart(64, '0')
}

describe.each(backends)('RFC 6979 A.2.5, P-256, $name', (backend) => {
  const keys = openKeys(backend, { signing: { p256: privateKey }, encryption: {} })

  it('gives the public key', () => {
    expect(hex(keys.publicKey(slots.signing.p256))).toBe(vectors.publicKey)
  })

  it.each(vectors.tests)('$name', ({ message, r, s }) => {
    const digest = createHash('sha256').update(message).digest()
    expect(hex(keys.sign(slots.signing.p256, digest))).toBe(r + lowS(s))
  })
})

it('the vectors hold one s of each half, so that both branches are seen', () => {
  const isLow = new Set(vectors.tests.map(({ s }) => lowS(s) === s))
  expect(isLow).toEqual(new Set([false, true]))
})
