import { describe, expect, it } from 'vitest'
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../runtime/src/bridge/errors.ts'
import { decrypt } from '../../runtime/src/signer/cipher.ts'
import { publicKeyOf } from '../../runtime/src/signer/curves.ts'
import { bytes, hex } from '../support/hex.ts'
import { thrownBy } from '../support/thrown.ts'
import vectors from './cipher.json' with { type: 'json' }

const tests = vectors.tests.map((test) => ({ ...test, curve: test.curve as EncryptionCurve }))

type Vector = (typeof tests)[number]

const asRecipient = ({ curve, recipientPrivateKey, senderPublicKey, salt }: Vector) => ({
  curve,
  privateKey: bytes(recipientPrivateKey),
  peerPublicKey: bytes(senderPublicKey),
  salt: bytes(salt),
})

const asSender = ({ curve, senderPrivateKey, recipientPublicKey, salt }: Vector) => ({
  curve,
  privateKey: bytes(senderPrivateKey),
  peerPublicKey: bytes(recipientPublicKey),
  salt: bytes(salt),
})

describe.each(tests)('ciphertext, $name', (vector) => {
  const sealed = bytes(vector.sealed)

  it('has the public keys of its private keys', () => {
    const { curve, recipientPrivateKey, senderPrivateKey } = vector
    expect({
      recipient: hex(publicKeyOf(curve, bytes(recipientPrivateKey))),
      sender: hex(publicKeyOf(curve, bytes(senderPrivateKey))),
    }).toEqual({ recipient: vector.recipientPublicKey, sender: vector.senderPublicKey })
  })

  it('opens on both sides', () => {
    expect(hex(decrypt(asRecipient(vector), sealed))).toBe(vector.plaintext)
    expect(hex(decrypt(asSender(vector), sealed))).toBe(vector.plaintext)
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
  ])('refuses with one text: $name', async ({ sent }) => {
    const error = await thrownBy(() => decrypt(asRecipient(vector), sent))
    expect(toErrorObject(error as RpcError)).toEqual({
      code: -32603,
      message: 'the bytes could not be decrypted',
      data: { kind: 'DECRYPT_FAILED', retryable: false },
    })
  })

  it('refuses another salt with the same text', async () => {
    // Not one zero more: HMAC pads a short key with zeros, so such salts are the same.
    const other = { ...asRecipient(vector), salt: bytes(`ab${vector.salt}`) }
    const error = await thrownBy(() => decrypt(other, sealed))
    expect(error).toMatchObject({ message: 'the bytes could not be decrypted' })
  })
})
