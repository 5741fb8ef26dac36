import { createHash, createPublicKey, verify } from 'node:crypto'
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import { HDKey } from '@scure/bip32'
import { describe, expect, it } from 'vitest'
import {
  signingCurves,
  type EncryptionCurve,
  type SigningCurve,
} from '@causeway/guest-sdk/protocol'
import { toErrorObject, type RpcError } from '../../../../runtime/src/bridge/errors.ts'
import { createKeyring, type Keyring } from '../../../../runtime/src/signer/keyring.ts'
import type { PrivateKeys } from '../../../../runtime/src/signer/backend.ts'
import { fixedKeys } from '../../../support/deployment-keys.ts'
import { bytes, hex } from '../../../support/hex.ts'
import { backends } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

const noble = { p256, secp256k1 }
const ecdsaCurves = ['p256', 'secp256k1'] as const
const orders = { p256: p256.Point.Fn.ORDER, secp256k1: secp256k1.Point.Fn.ORDER }
const digestOf = (text: string) => createHash('sha256').update(text).digest()
const toDigest = (value: bigint) => bytes(value.toString(16).padStart(64, '0'))
const sOf = (signature: Uint8Array) => BigInt(`0x${hex(signature.subarray(32))}`)

/** SPKI of a raw public key: lets OpenSSL verify a signature of noble. */
function publicKeyObject(curve: SigningCurve, key: Uint8Array) {
  if (curve === 'ed25519') {
    const spki = Buffer.concat([bytes('302a300506032b6570032100'), key])
    return createPublicKey({ key: spki, format: 'der', type: 'spki' })
  }
  const { x, y } = noble[curve].Point.fromBytes(key).toAffine()
  const coordinate = (value: bigint) => Buffer.from(toDigest(value)).toString('base64url')
  const jwk = { kty: 'EC', crv: curve === 'p256' ? 'P-256' : 'secp256k1' }
  return createPublicKey({ key: { ...jwk, x: coordinate(x), y: coordinate(y) }, format: 'jwk' })
}

function verifies(curve: SigningCurve, key: Uint8Array, message: string, signature: Uint8Array) {
  const publicKey = publicKeyObject(curve, key)
  return curve === 'ed25519'
    ? verify(null, Buffer.from(message), publicKey, signature)
    : verify(
        'sha256',
        Buffer.from(message),
        { key: publicKey, dsaEncoding: 'ieee-p1363' },
        signature,
      )
}

function rotated(keys: Record<EncryptionCurve, Uint8Array>) {
  return { p256: keys.secp256k1, secp256k1: keys.p256 }
}

describe.each(backends)('the $name backend', (backend) => {
  const open = (keys: PrivateKeys = fixedKeys()) => createKeyring(backend.openKeys(keys))

  describe('public keys', () => {
    const keyring = open()
    const { signing, encryption } = fixedKeys()

    it('belong to the private keys', () => {
      const inHex = (keys: Readonly<Record<string, Uint8Array>>) =>
        Object.fromEntries(Object.entries(keys).map(([curve, key]) => [curve, hex(key)]))
      expect(inHex(keyring.publicKeys)).toEqual({
        p256: hex(p256.getPublicKey(signing.p256, true)),
        secp256k1: hex(secp256k1.getPublicKey(signing.secp256k1, true)),
        ed25519: hex(ed25519.getPublicKey(signing.ed25519)),
      })
      expect(inHex(keyring.encryptionKeys)).toEqual({
        p256: hex(p256.getPublicKey(encryption.p256, true)),
        secp256k1: hex(secp256k1.getPublicKey(encryption.secp256k1, true)),
      })
    })

    it.each(signingCurves)('of %s: every way to get the key returns the same one', (curve) => {
      expect(keyring.publicKey(curve)).toEqual(keyring.publicKeys[curve])
    })

    it('at a path is the HD key, and m is not the signing key', () => {
      const master = HDKey.fromMasterSeed(fixedKeys().hdSeed)
      const at = (path: string) => keyring.publicKey('secp256k1', path)
      expect(hex(at('m'))).toBe(hex(master.publicKey!))
      const child = master.derive("m/44'/60'/0'/0/0").publicKey!
      expect(hex(at("m/44'/60'/0'/0/0"))).toBe(hex(child))
      expect(at('m/44h/60H/0h/0/0')).toEqual(at("m/44'/60'/0'/0/0"))
      expect(at('m')).not.toEqual(keyring.publicKeys.secp256k1)
    })
  })

  describe.each(ecdsaCurves)('%s signatures', (curve) => {
    const keyring = open()
    const privateKey = fixedKeys().signing[curve]
    const order = orders[curve]

    it('equal those of noble, have a low s, and verify with OpenSSL, for 64 digests', () => {
      let normalised = 0
      for (let index = 0; index < 64; index++) {
        const message = `message ${index}`
        const digest = digestOf(message)
        const signature = keyring.sign(curve, digest)
        const options = { prehash: false, lowS: false }
        const raw = noble[curve].sign(digest, privateKey, options)
        if (sOf(raw) > order / 2n) normalised++
        const low = sOf(raw) > order / 2n ? order - sOf(raw) : sOf(raw)
        expect(hex(signature)).toBe(hex(raw.subarray(0, 32)) + hex(toDigest(low)))
        expect(verifies(curve, keyring.publicKeys[curve], message, signature)).toBe(true)
      }
      // Without normalisation, some digests give a high s and others a low one.
      expect(normalised).toBeGreaterThan(10)
      expect(normalised).toBeLessThan(54)
    })

    it.each([
      { name: '0', digest: 0n },
      { name: '1', digest: 1n },
      { name: 'n − 1', digest: order - 1n },
      { name: 'n', digest: order },
      { name: 'n + 1', digest: order + 1n },
      { name: '2^256 − 1', digest: 2n ** 256n - 1n },
    ])('of the digest $name verify, low s', ({ digest }) => {
      const signature = keyring.sign(curve, toDigest(digest))
      const isValid = noble[curve].verify(signature, toDigest(digest), keyring.publicKeys[curve], {
        prehash: false,
        lowS: true,
      })
      expect({ length: signature.length, isValid }).toEqual({ length: 64, isValid: true })
    })

    it('are the same every time', () => {
      const digest = digestOf('again')
      expect(keyring.sign(curve, digest)).toEqual(keyring.sign(curve, digest))
    })

    it.each([0, 1, 31, 33, 64, 1000])('need 32 bytes, not %i', async (length) => {
      const error = await thrownBy(() => keyring.sign(curve, new Uint8Array(length)))
      expect(toErrorObject(error as RpcError)).toEqual({
        code: -32602,
        message: `bytes: ${curve} signs a digest of 32 bytes, found ${length}`,
        data: {
          kind: 'BAD_DIGEST_LENGTH',
          retryable: false,
          hint: 'hash the message first, for example with SHA-256',
          details: { field: 'bytes' },
        },
      })
    })
  })

  describe('secp256k1 signatures at a path', () => {
    it('are made with the HD key', () => {
      const keyring = open()
      const digest = digestOf('x')
      const { privateKey } = HDKey.fromMasterSeed(fixedKeys().hdSeed).derive("m/0'/1")
      const expected = secp256k1.sign(digest, privateKey!, { prehash: false })
      expect(hex(keyring.sign('secp256k1', digest, "m/0'/1"))).toBe(hex(expected))
    })
  })

  describe('ed25519 signatures', () => {
    const keyring = open()

    it.each([0, 1, 31, 32, 33, 64, 100_000])('sign a message of %i bytes', (length) => {
      const message = 'x'.repeat(length)
      const signature = keyring.sign('ed25519', Buffer.from(message))
      const expected = ed25519.sign(Buffer.from(message), fixedKeys().signing.ed25519)
      expect(hex(signature)).toBe(hex(expected))
      expect(verifies('ed25519', keyring.publicKeys.ed25519, message, signature)).toBe(true)
    })

    it('refuse a path', async () => {
      const error = await thrownBy(() => keyring.sign('ed25519', new Uint8Array(), 'm/0'))
      expect(error).toMatchObject({ kind: 'BAD_DERIVATION_PATH' })
    })
  })

  describe('encryption', () => {
    it.each(ecdsaCurves)('uses the encryption key, not the signing key: %s', (curve) => {
      const ours = open()
      const { signing, encryption, ...rest } = fixedKeys()
      const theirs = open({ ...rest, signing, encryption: rotated(encryption) })
      const salt = bytes('01')
      const peerOf = (keyring: typeof ours) => ({
        curve,
        peerPublicKey: keyring.encryptionKeys[curve],
        salt,
      })
      const sealed = ours.encrypt(peerOf(theirs), Buffer.from('hello'))
      expect(Buffer.from(theirs.decrypt(peerOf(ours), sealed)).toString()).toBe('hello')
      const wrong = { ...peerOf(ours), peerPublicKey: ours.publicKeys[curve] }
      expect(() => theirs.decrypt(wrong, sealed)).toThrow('the bytes could not be decrypted')
    })
  })

  describe('destroy', () => {
    it('zeroes every key that the keyring was given', () => {
      const keys = fixedKeys()
      open(keys).destroy()
      const all = [...Object.values(keys.signing), ...Object.values(keys.encryption), keys.hdSeed]
      expect(all.flatMap((key) => [...key]).filter((byte) => byte !== 0)).toEqual([])
    })

    const peer = {
      curve: 'p256' as const,
      peerPublicKey: p256.getPublicKey(bytes('77'.repeat(32)), true),
      salt: bytes(''),
    }
    const digest = digestOf('x')
    type Use = (keyring: Keyring) => unknown
    it.each<{ name: string; use: Use }>([
      { name: 'sign with p256', use: (keyring) => keyring.sign('p256', digest) },
      { name: 'sign with secp256k1', use: (keyring) => keyring.sign('secp256k1', digest) },
      { name: 'sign with ed25519', use: (keyring) => keyring.sign('ed25519', digest) },
      { name: 'sign at m', use: (keyring) => keyring.sign('secp256k1', digest, 'm') },
      { name: 'sign at m/0', use: (keyring) => keyring.sign('secp256k1', digest, 'm/0') },
      { name: "sign at m/0'", use: (keyring) => keyring.sign('secp256k1', digest, "m/0'") },
      { name: 'public key of ed25519', use: (keyring) => keyring.publicKey('ed25519') },
      { name: 'encrypt', use: (keyring) => keyring.encrypt(peer, digest) },
      { name: 'decrypt', use: (keyring) => keyring.decrypt(peer, digest) },
    ])('makes every later use fail: $name', ({ use }) => {
      const keyring = open()
      keyring.sign('secp256k1', digest, 'm/0')
      keyring.destroy()
      expect(() => use(keyring)).toThrow('the keys have been destroyed')
    })
  })
})
