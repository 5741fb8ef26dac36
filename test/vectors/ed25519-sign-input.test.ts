/**
 * The 1,024 signatures of the authors of Ed25519, messages of 0 to 1,023 bytes.
 */
import { describe, expect, it } from 'vitest'
import { slots } from '../../runtime/src/signer/backend.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import { bytes, hex } from '../support/hex.ts'
import { readVectors } from './debian-vectors.ts'

// seed ‖ public key : public key : message : signature ‖ message :
const lines = readVectors('asymmetric/Ed25519/sign.input')
  .trim()
  .split('\n')
  .map((line) => line.trim().split(':'))

describe.each(backends)('sign.input, $name', (backend) => {
  it('1,024 public keys and signatures, byte by byte', () => {
    const { ed25519 } = slots.signing
    const found = lines.map(([secret = '', , message = '']) => {
      const seed = bytes(secret.slice(0, 64))
      const keys = openKeys(backend, { signing: { ed25519: seed }, encryption: {} })
      return [hex(keys.publicKey(ed25519)), hex(keys.sign(ed25519, bytes(message)))]
    })
    expect(found).toEqual(lines.map(([, key, , sealed = '']) => [key, sealed.slice(0, 128)]))
    expect(found).toHaveLength(1024)
  })

  it('holds a message of every length', () => {
    const lengths = lines.map(([, , message = '']) => message.length / 2)
    expect(lengths).toEqual(Array.from({ length: 1024 }, (_, length) => length))
  })
})
