import { describe, expect, it } from 'vitest'
import { slots } from '../../runtime/src/signer/backend.ts'
import { bytes, hex } from '../support/hex.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import vectors from './rfc8032-ed25519.json' with { type: 'json' }

describe.each(backends)('RFC 8032 §7.1, Ed25519, $name', (backend) => {
  it.each(vectors.tests)('$name', ({ privateKey, publicKey, message, signature }) => {
    const { ed25519 } = slots.signing
    const keys = openKeys(backend, { signing: { ed25519: bytes(privateKey) }, encryption: {} })
    expect({
      publicKey: hex(keys.publicKey(ed25519)),
      signature: hex(keys.sign(ed25519, bytes(message))),
    }).toEqual({ publicKey, signature })
  })
})
