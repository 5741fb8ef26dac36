/**
 * OpenSSL's error queue is the thread's: what the signer leaves there, Node's own crypto and TLS in
 * the same thread take for theirs.
 */
import { createSign, generateKeyPairSync, sign, verify } from 'node:crypto'
import { expect, it } from 'vitest'
import { native, openKeys } from '../../support/signer-backends.ts'

const message = Buffer.from('message')
const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const keys = openKeys(native, { signing: {}, encryption: {} })
const salt = Buffer.alloc(0)

it.each([
  { name: 'a point off the curve', bytes: Buffer.from(`02${'ff'.repeat(32)}`, 'hex') },
  { name: 'a hybrid point', bytes: Buffer.alloc(65, 6) },
  { name: 'nothing', bytes: Buffer.alloc(0) },
])('is as it was after $name', ({ bytes }) => {
  const agreement = { peerPublicKey: bytes, salt }
  for (const slot of [3, 4]) expect(keys.encrypt(slot, agreement, message)).toBe('BAD_PUBLIC_KEY')
  expect(verify('sha256', message, publicKey, sign('sha256', message, privateKey))).toBe(true)
  expect(createSign('sha256').update(message).sign(privateKey).length).toBeGreaterThan(60)
})

it('is as it was after a ciphertext that is none, and keys that are none', () => {
  const agreement = { peerPublicKey: keys.publicKey(3), salt }
  expect(keys.decrypt(3, agreement, Buffer.alloc(100))).toBe('DECRYPT_FAILED')
  for (const curve of ['p256', 'secp256k1'] as const)
    expect(native.isPrivateKey(curve, new Uint8Array(32).fill(0xff))).toBe(false)
  expect(verify('sha256', message, publicKey, sign('sha256', message, privateKey))).toBe(true)
})
