import { hkdfSync } from 'node:crypto'
import { hkdf } from '@noble/hashes/hkdf.js'
import { sha256 } from '@noble/hashes/sha2.js'
import { describe, expect, it } from 'vitest'
import { bytes, hex } from '../support/hex.ts'
import vectors from './rfc5869-hkdf-sha256.json' with { type: 'json' }

describe('RFC 5869, SHA-256: the primitives of the portable signer', () => {
  it.each(vectors.tests)('$name', ({ ikm, salt, info, length, okm }) => {
    const [key, saltBytes, infoBytes] = [bytes(ikm), bytes(salt), bytes(info)]
    expect({
      node: hex(new Uint8Array(hkdfSync('sha256', key, saltBytes, infoBytes, length))),
      noble: hex(hkdf(sha256, key, saltBytes, infoBytes, length)),
    }).toEqual({ node: okm, noble: okm })
  })
})
