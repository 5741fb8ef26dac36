/** Forged ciphertexts, and shared secrets that begin with zeros. */
import { createECDH } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { encryptionCurves, type EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createKeyring } from '../../../../runtime/src/signer/keyring.ts'
import { slots } from '../../../../runtime/src/signer/backend.ts'
import { hex } from '../../../support/hex.ts'
import { backends, openKeys } from '../../../support/signer-backends.ts'
import { cipherKey, sealWith, toBytes, weierstrass } from '../../../support/signer-reference.ts'

const ownKey = toBytes(0x123456789n)
const peerKey = toBytes(0x987654321n)
const salt = Buffer.from('salt')
const plaintext = Buffer.from('a text of some length')
const failed = {
  code: -32603,
  message: 'the bytes could not be decrypted',
  data: { kind: 'DECRYPT_FAILED', retryable: false },
}

const opensslNames = { p256: 'prime256v1', secp256k1: 'secp256k1' }

/** Private keys for which the shared x begins with a zero byte. */
function keysWithLeadingZero(curve: EncryptionCurve, count: number): Uint8Array[] {
  const ecdh = createECDH(opensslNames[curve])
  ecdh.setPrivateKey(ownKey)
  const found: Uint8Array[] = []
  for (let number = 1n; found.length < count; number++) {
    const key = toBytes(number)
    const shared = ecdh.computeSecret(weierstrass[curve].getPublicKey(key))
    if (shared[0] === 0) found.push(key)
  }
  return found
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

    it('keeps the leading zeros of a shared x', () => {
      const own = weierstrass[curve].getPublicKey(ownKey)
      const found = keysWithLeadingZero(curve, 3).map((key) => {
        const publicKey = weierstrass[curve].getPublicKey(key)
        const sharedX = weierstrass[curve].getSharedSecret(ownKey, publicKey).subarray(1)
        const aes = cipherKey(curve, sharedX, salt, [own, publicKey])
        const made = sealWith(aes, new Uint8Array(12), plaintext)
        return [sharedX[0], open(made, { ...peer, peerPublicKey: publicKey })]
      })
      expect(found).toEqual(Array.from({ length: 3 }, () => [0, hex(plaintext)]))
    })

    it('returns nothing of a forged plaintext', () => {
      const keys = openKeys(backend, { signing: {}, encryption: { [curve]: ownKey } })
      const forged = Uint8Array.from(sealed).with(sealed.length - 1, sealed.at(-1)! ^ 1)
      expect(keys.decrypt(slots.encryption[curve], peer, forged)).toBe('DECRYPT_FAILED')
    })
  })
})
