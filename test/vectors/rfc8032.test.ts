import { describe, expect, it } from 'vitest'
import { publicKeyOf, sign } from '../../runtime/src/signer/curves.ts'
import { bytes, hex } from '../support/hex.ts'
import vectors from './rfc8032-ed25519.json' with { type: 'json' }

describe('RFC 8032 §7.1, Ed25519', () => {
  it.each(vectors.tests)('$name', ({ privateKey, publicKey, message, signature }) => {
    const key = bytes(privateKey)
    expect({
      publicKey: hex(publicKeyOf('ed25519', key)),
      signature: hex(sign('ed25519', key, bytes(message))),
    }).toEqual({ publicKey, signature })
  })
})
