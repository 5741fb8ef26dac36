/**
 * Inner functions of the native signer, which its keys would not let such inputs reach.
 */
import { describe, expect, it } from 'vitest'
import { hex } from '../support/hex.ts'
import { buildInternals } from '../support/signer-internals.ts'
import { bytesOf, parseVectors, type Vector } from './debian-vectors.ts'

const internals = buildInternals()
const testsOf = (file: string) =>
  parseVectors(file, /^COUNT.*$/m).filter(({ fields }) => fields['OKM'] !== undefined)

it.each([
  { name: 'RFC 5869', file: 'KDF/rfc-5869-HKDF-SHA256.txt', count: 3 },
  { name: '1,200 bytes', file: 'KDF/hkdf-generated.txt', count: 1 },
])('HKDF-SHA256, $name', ({ file, count }) => {
  const vectors = testsOf(file)
  const found = vectors.map((vector) => {
    const [secret, salt, info] = ['IKM', 'salt', 'info'].map((name) => bytesOf(vector, name))
    return hex(internals.hkdf(secret!, salt!, info!, Number(vector.fields['L'])))
  })
  expect(found).toEqual(vectors.map(({ fields }) => fields['OKM']))
  expect(found).toHaveLength(count)
})

it.each(['sha256', 'sha512'] as const)('HMAC, RFC 4231, %s', (hash) => {
  const vectors = parseVectors(`HMAC/rfc-4231-${hash}.txt`).filter(({ fields }) => fields['MD'])
  const compute = (key: Uint8Array, message: Uint8Array) =>
    hash === 'sha256' ? internals.hmacSha256(key, message) : internals.hmacSha512(key, message)
  const found = vectors.map((vector) =>
    hex(compute(bytesOf(vector, 'Key'), bytesOf(vector, 'Msg'))),
  )
  expect(found).toEqual(vectors.map(({ fields }) => fields['MD']))
  expect(found).toHaveLength(6)
})

/** What the signer's form can hold: an iv of 12 bytes, a tag of 16, no additional data. */
function gcmVectors(file: string): Vector[] {
  const form = /\[Keylen = 256\]\[IVlen = 96\]\[PTlen = \d+\]\[AADlen = 0\]\[Taglen = 128\]/
  return parseVectors(`ciphers/AES/GCM/${file}`).filter(({ section }) => form.test(section))
}

function unseal(vector: Vector): string {
  const sealed = Buffer.concat(['IV', 'CT', 'Tag'].map((name) => bytesOf(vector, name)))
  const plaintext = internals.unseal(bytesOf(vector, 'Key'), sealed)
  return plaintext ? hex(plaintext) : 'refused'
}

describe('AES-256-GCM, NIST', () => {
  it('opens the 75 of the encryption tests', () => {
    const vectors = gcmVectors('gcmEncryptExtIV256.rsp')
    expect(vectors.map(unseal)).toEqual(vectors.map(({ fields }) => fields['PT']))
    expect(vectors).toHaveLength(75)
  })

  it('opens what is genuine among the 75 of the decryption tests, and nothing else', () => {
    const vectors = gcmVectors('gcmDecrypt256.rsp')
    const expected = vectors.map(({ fields }) => fields['PT'] ?? 'refused')
    expect(vectors.map(unseal)).toEqual(expected)
    expect(vectors).toHaveLength(75)
    expect(expected).toContain('refused')
  })

  it('opens what it sealed', () => {
    const key = new Uint8Array(32).fill(1)
    const sealed = internals.seal(key, Buffer.from('text'))
    expect(String(internals.unseal(key, sealed))).toBe('text')
    expect(
      internals.unseal(
        key,
        sealed.map((byte, index) => byte ^ Number(index === 5)),
      ),
    ).toBe(undefined)
  })
})
