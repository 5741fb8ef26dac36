import { describe, expect, it } from 'vitest'
import {
  decodeKeysFile,
  encodeKeysFile,
} from '../../../../runtime/src/signer/imported/keys-file.ts'
import type { ImportedKeys } from '../../../../runtime/src/signer/backend.ts'
import { fixedKeys } from '../../../support/deployment-keys.ts'
import { native } from '../../../support/signer-backends.ts'

const decode = (content: Buffer) => decodeKeysFile('file', content, native.isPrivateKey)
const digits = (byte: string, count = 32) => byte.repeat(count)

describe('a keys file', () => {
  it('is written as JSON with every key in hex', () => {
    expect(JSON.parse(encodeKeysFile(fixedKeys()).toString())).toEqual({
      signing: { p256: digits('11'), secp256k1: digits('22'), ed25519: digits('33') },
      encryption: { p256: digits('44'), secp256k1: digits('55') },
      hdSeed: digits('66', 64),
    })
  })

  it('contains every digit', () => {
    const hdSeed = Uint8Array.from({ length: 64 }, (_, index) => index * 4 + 3)
    const content = encodeKeysFile({ signing: {}, encryption: {}, hdSeed })
    const written = (JSON.parse(content.toString()) as { hdSeed: string }).hdSeed
    expect(written).toBe(Buffer.from(hdSeed).toString('hex'))
  })

  it.each<{ name: string; keys: ImportedKeys }>([
    { name: 'all', keys: fixedKeys() },
    { name: 'none', keys: { signing: {}, encryption: {} } },
    { name: 'one', keys: { signing: { secp256k1: fixedKeys().signing.p256 }, encryption: {} } },
    { name: 'the seed', keys: { signing: {}, encryption: {}, hdSeed: fixedKeys().hdSeed } },
  ])('is read again: $name', ({ keys }) => {
    expect(decode(encodeKeysFile(keys))).toEqual(keys)
  })

  it('has no digit of a key left in its buffer after reading', () => {
    const content = encodeKeysFile(fixedKeys())
    const length = content.length
    decode(content)
    expect(content).toHaveLength(length)
    expect(content.toString()).not.toMatch(/(\w\w)\1{3}/)
  })

  it('may repeat a field: the last value counts, as JSON.parse has it', () => {
    const text = `{"signing":{"p256":"${digits('11')}","p256":"${digits('22')}"}}`
    const { signing } = decode(Buffer.from(text))
    expect(signing).toEqual({ p256: new Uint8Array(32).fill(0x22) })
  })
})
