/** Forged ciphertexts, and shared secrets that begin with zeros. */
import { describe, expect, it } from 'vitest'
import { encryptionCurves } from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createKeyring } from '../../../../runtime/src/signer/keyring.ts'
import { slots } from '../../../../runtime/src/signer/backend.ts'
import { hex } from '../../../support/hex.ts'
import { backends, openKeys } from '../../../support/signer-backends.ts'
import {
  cipherKey,
  sealWith,
  toBytes,
  unsealWith,
  weierstrass,
} from '../../../support/signer-reference.ts'

const ownKey = toBytes(0x123456789n)
const peerKey = toBytes(0x987654321n)
const salt = Buffer.from('salt')
const plaintext = Buffer.from('a text of some length')
const failed = {
  code: -32603,
  message: 'the bytes could not be decrypted',
  data: { kind: 'DECRYPT_FAILED', retryable: false },
}

/** The smallest private keys of peers for which the shared x begins with one zero byte, and with two. */
const peersWithZeros = {
  p256: [188n, 450n, 42_285n],
  secp256k1: [163n, 866n, 110_008n],
}

function withoutLeadingZeros(bytes: Uint8Array): Uint8Array {
  return bytes.subarray(bytes.findIndex((byte) => byte !== 0))
}

describe.each(backends)('$name', (backend) => {
  describe.each(encryptionCurves)('%s', (curve) => {
    const keyring = createKeyring(
      openKeys(backend, { signing: {}, encryption: { p256: ownKey, secp256k1: ownKey } }),
    )
    const peerPublicKey = weierstrass[curve].getPublicKey(peerKey)
    const peer = { curve, peerPublicKey, salt }
    const sealed = keyring.encrypt(peer, plaintext)

    /** The plaintext or the error, as a caller sees it. */
    const open = (bytes: Uint8Array, from = peer) => {
      try {
        return hex(keyring.decrypt(from, bytes))
      } catch (error) {
        return toErrorObject(error as RpcError)
      }
    }
    const answers = (ciphertexts: readonly Uint8Array[]) =>
      new Set(ciphertexts.map((bytes) => JSON.stringify(open(bytes))))
    const onlyFailed = new Set([JSON.stringify(failed)])

    it('decrypts a genuine ciphertext, so that the next tests do not pass for a wrong reason', () => {
      expect(open(sealed)).toBe(hex(plaintext))
    })

    it('gives the same answer to a ciphertext cut at any length', () => {
      const cut = Array.from(sealed, (_, length) => sealed.subarray(0, length))
      expect(answers(cut)).toEqual(onlyFailed)
    })

    it.each([0x01, 0x80, 0xff])('gives the same answer to any byte changed by %i', (mask) => {
      const copy = Uint8Array.from(sealed)
      const changed = Array.from(sealed, (byte, at) => copy.with(at, byte ^ mask))
      expect(answers(changed)).toEqual(onlyFailed)
    })

    it('gives the same answer to bytes inserted before, after and between', () => {
      const longer = [
        Uint8Array.of(0, ...sealed),
        Uint8Array.of(...sealed, 0),
        Uint8Array.of(...sealed.subarray(0, 20), 0, ...sealed.subarray(20)),
        Uint8Array.of(...sealed, ...sealed),
        new Uint8Array(sealed.length),
      ]
      expect(answers(longer)).toEqual(onlyFailed)
    })

    it('gives the same answer to another salt, peer or curve', () => {
      const otherPeer = weierstrass[curve].getPublicKey(toBytes(5n))
      const other = curve === 'p256' ? 'secp256k1' : 'p256'
      const otherKey = weierstrass[other].getPublicKey(peerKey)
      expect([
        open(sealed, { ...peer, salt: Buffer.from('Salt') }),
        open(sealed, { ...peer, salt: Buffer.alloc(0) }),
        open(sealed, { ...peer, salt: Buffer.from('salt0') }),
        open(sealed, { ...peer, peerPublicKey: otherPeer }),
        open(sealed, { ...peer, curve: other, peerPublicKey: otherKey }),
      ]).toEqual(Array.from({ length: 5 }, () => failed))
    })

    it('treats the negated point of the peer as another peer, though its x is the same', () => {
      const opposite = peerPublicKey.with(0, peerPublicKey[0]! ^ 1)
      expect(open(sealed, { ...peer, peerPublicKey: opposite })).toEqual(failed)
    })

    describe('a shared x that begins with zero bytes', () => {
      const own = weierstrass[curve].getPublicKey(ownKey)
      const exchanges = peersWithZeros[curve].map((number) => {
        const peerPublicKey = weierstrass[curve].getPublicKey(toBytes(number))
        const sharedX = weierstrass[curve].getSharedSecret(ownKey, peerPublicKey).subarray(1)
        const keyUnder = (x: Uint8Array) => cipherKey(curve, x, salt, [own, peerPublicKey])
        return { from: { ...peer, peerPublicKey }, sharedX, keyUnder }
      })

      it.each([
        { form: 'padded to 32 bytes', formOf: (x: Uint8Array) => x },
        { form: 'without them, as some senders take it', formOf: withoutLeadingZeros },
      ])('decrypts what was sealed under it $form, and nothing forged', ({ formOf }) => {
        for (const { from, sharedX, keyUnder } of exchanges) {
          const made = sealWith(keyUnder(formOf(sharedX)), new Uint8Array(12), plaintext)
          expect([sharedX[0], open(made, from)]).toEqual([0, hex(plaintext)])
          const forged = made.with(20, made[20]! ^ 1)
          expect(open(forged, from)).toEqual(failed)
        }
      })

      it('drops no more than the leading zeros', () => {
        for (const { from, sharedX, keyUnder } of exchanges) {
          const shorter = withoutLeadingZeros(sharedX).subarray(1)
          const made = sealWith(keyUnder(shorter), new Uint8Array(12), plaintext)
          expect(open(made, from)).toEqual(failed)
        }
      })

      it('encrypts under it padded to 32 bytes', () => {
        for (const { from, sharedX, keyUnder } of exchanges) {
          const made = keyring.encrypt(from, plaintext)
          expect(hex(unsealWith(keyUnder(sharedX), made))).toBe(hex(plaintext))
        }
      })
    })

    it('returns nothing of a forged plaintext', () => {
      const keys = openKeys(backend, { signing: {}, encryption: { [curve]: ownKey } })
      const forged = Uint8Array.from(sealed).with(sealed.length - 1, sealed.at(-1)! ^ 1)
      expect(keys.decrypt(slots.encryption[curve], peer, forged)).toBe('DECRYPT_FAILED')
    })
  })
})
