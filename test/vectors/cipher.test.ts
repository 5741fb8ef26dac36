import { describe, expect, it } from 'vitest'
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { slots, type SignerBackend } from '../../runtime/src/signer/backend.ts'
import { bytes, hex } from '../support/hex.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import vectors from './cipher.json' with { type: 'json' }

const tests = vectors.tests.map((test) => ({ ...test, curve: test.curve as EncryptionCurve }))

type Vector = (typeof tests)[number]

/** One side of the vector; `open` gives the plaintext in hex or the refusal. */
function sideOf(backend: SignerBackend, { curve, salt }: Vector, own: string, peer: string) {
  const keys = openKeys(backend, { signing: {}, encryption: { [curve]: bytes(own) } })
  const slot = slots.encryption[curve]
  const peerPublicKey = bytes(peer)
  return {
    publicKey: hex(keys.publicKey(slot)),
    open(sealed: Uint8Array, otherSalt = salt) {
      const agreement = { peerPublicKey, salt: bytes(otherSalt) }
      const opened = keys.decrypt(slot, agreement, sealed)
      return typeof opened === 'string' ? opened : hex(opened)
    },
  }
}

describe.each(backends)('$name', (backend) => {
  describe.each(tests)('ciphertext, $name', (vector) => {
    const { recipientPrivateKey, recipientPublicKey, senderPrivateKey, senderPublicKey } = vector
    const recipient = sideOf(backend, vector, recipientPrivateKey, senderPublicKey)
    const sender = sideOf(backend, vector, senderPrivateKey, recipientPublicKey)
    const sealed = bytes(vector.sealed)

    it('has the public keys of its private keys', () => {
      expect([recipient.publicKey, sender.publicKey]).toEqual([recipientPublicKey, senderPublicKey])
    })

    it('opens on both sides', () => {
      expect([recipient.open(sealed), sender.open(sealed)]).toEqual([
        vector.plaintext,
        vector.plaintext,
      ])
    })

    const flipped = (index: number) => sealed.map((byte, at) => (at === index ? byte ^ 1 : byte))
    it.each([
      { name: 'iv changed', sent: flipped(0) },
      { name: 'ciphertext changed', sent: flipped(12) },
      { name: 'tag changed', sent: flipped(sealed.length - 1) },
      { name: 'one byte less', sent: sealed.subarray(0, -1) },
      { name: 'one byte more', sent: Uint8Array.of(...sealed, 0) },
      { name: 'iv and tag only', sent: sealed.subarray(0, 28) },
      { name: 'shorter than iv and tag', sent: sealed.subarray(0, 27) },
      { name: 'nothing', sent: new Uint8Array() },
    ])('refuses: $name', ({ sent }) => {
      expect(recipient.open(sent)).toBe('DECRYPT_FAILED')
    })

    it('refuses another salt', () => {
      // Not one zero more: HMAC pads a short key with zeros, so such salts are the same.
      expect(recipient.open(sealed, `ab${vector.salt}`)).toBe('DECRYPT_FAILED')
    })
  })
})
