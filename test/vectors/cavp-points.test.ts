/**
 * NIST's public key validation on P-256, and OpenSSL's compressed points.
 */
import { describe, expect, it } from 'vitest'
import { slots, type SignerBackend } from '../../runtime/src/signer/backend.ts'
import { backends, openKeys } from '../support/signer-backends.ts'
import { bytesOf, parseVectors, wordOf, type Vector } from './debian-vectors.ts'

const salt = new Uint8Array()
const plaintext = Buffer.from('text')

function keysOf(backend: SignerBackend) {
  return openKeys(backend, { signing: {}, encryption: {} })
}

const publicKeys = parseVectors('asymmetric/ECDSA/FIPS_186-3/PKV.rsp').filter(
  ({ section }) => section === '[P-256]',
)

/** As the file has them: a coordinate that is too large takes more than 32 bytes. */
function uncompressed({ fields }: Vector): Buffer {
  const digits = ['Qx', 'Qy'].map((name) => {
    const text = fields[name] ?? ''
    return text.padStart(Math.max(64, text.length + (text.length % 2)), '0')
  })
  return Buffer.from(`04${digits.join('')}`, 'hex')
}

const points = parseVectors('asymmetric/EC/compressed_points.txt')

describe.each(backends)('$name', (backend) => {
  it('takes the public keys that NIST takes, and no others', () => {
    const keys = keysOf(backend)
    const found = publicKeys.map((vector) => {
      const agreement = { peerPublicKey: uncompressed(vector), salt }
      const outcome = keys.encrypt(slots.encryption.p256, agreement, plaintext)
      return typeof outcome === 'string' ? outcome : 'taken'
    })
    const expected = publicKeys.map(({ fields }) =>
      fields['Result']?.startsWith('P') ? 'taken' : 'BAD_PUBLIC_KEY',
    )
    expect(found).toEqual(expected)
    expect(found).toHaveLength(12)
    expect(new Set(found)).toEqual(new Set(['taken', 'BAD_PUBLIC_KEY']))
  })

  it('opens with the whole point what was sealed with the compressed one', () => {
    const keys = keysOf(backend)
    const opened = points.map((vector) => {
      const curve = vector.fields['CURVE'] === 'SECP256R1' ? 'p256' : 'secp256k1'
      const slot = slots.encryption[curve]
      const sealed = keys.encrypt(
        slot,
        { peerPublicKey: bytesOf(vector, 'POINT'), salt },
        plaintext,
      )
      const whole = Uint8Array.of(4, ...wordOf(vector, 'X'), ...wordOf(vector, 'Y'))
      return Buffer.from(keys.decrypt(slot, { peerPublicKey: whole, salt }, Buffer.from(sealed)))
    })
    expect(opened.map(String)).toEqual(Array.from({ length: 4 }, () => 'text'))
  })
})
