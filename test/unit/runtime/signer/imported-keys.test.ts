import { chmodSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect } from 'vitest'
import {
  importedNames,
  mergeImported,
  readImportedKeys,
  wipeImported,
} from '../../../../runtime/src/signer/imported/imported-keys.ts'
import type { ImportedKeys } from '../../../../runtime/src/signer/backend.ts'
import { bytes } from '../../../support/hex.ts'
import { test } from '../../../support/folder-fixture.ts'
import { backends, native } from '../../../support/signer-backends.ts'
import { thrownBy } from '../../../support/thrown.ts'

const one = '11'.repeat(32)
const two = 'Ab'.repeat(32)
const p256Order = 'ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551'
const secp256k1Order = 'fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141'
const lessOne = (order: string) => (BigInt(`0x${order}`) - 1n).toString(16)

function writeKeys(folder: string, content: string | object, mode = 0o600): string {
  const file = join(folder, 'keys.json')
  writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content))
  chmodSync(file, mode)
  return file
}

describe.each(backends)('a keys file, checked by the $name backend', (backend) => {
  const read = (file: string) => readImportedKeys(file, backend.isPrivateKey)
  const seed = 'c4'.repeat(64)
  const all = {
    signing: { p256: one, secp256k1: two, ed25519: '00'.repeat(32) },
    encryption: { p256: two, secp256k1: one },
    hdSeed: seed,
  }

  test.for([
    { name: 'every key', content: all, keys: all },
    {
      name: 'the HD seed alone',
      content: { hdSeed: `0x${seed.toUpperCase()}` },
      keys: { signing: {}, encryption: {}, hdSeed: seed },
    },
    { name: 'nothing', content: {}, keys: { signing: {}, encryption: {} } },
    {
      name: 'one key',
      content: { encryption: { p256: one } },
      keys: { signing: {}, encryption: { p256: one } },
    },
    {
      name: 'empty groups',
      content: { signing: {}, encryption: {} },
      keys: { signing: {}, encryption: {} },
    },
    {
      name: '0x before the digits',
      content: { signing: { p256: `0x${one}` } },
      keys: { signing: { p256: one }, encryption: {} },
    },
    {
      name: 'the smallest scalars',
      content: { signing: { p256: one.replace(/.*/, '1'.padStart(64, '0')) } },
      keys: { signing: { p256: '1'.padStart(64, '0') }, encryption: {} },
    },
    {
      name: 'the largest scalars',
      content: { signing: { p256: lessOne(p256Order), secp256k1: lessOne(secp256k1Order) } },
      keys: {
        signing: { p256: lessOne(p256Order), secp256k1: lessOne(secp256k1Order) },
        encryption: {},
      },
    },
    {
      name: 'blanks and line ends',
      content: ` {\r\n\t"signing" :\n{ "p256"\n:\n"${one}" } }\n`,
      keys: { signing: { p256: one }, encryption: {} },
    },
  ])('is read: $name', ({ content, keys }, { folder }) => {
    const inBytes = (group: Record<string, string>) =>
      Object.fromEntries(Object.entries(group).map(([curve, key]) => [curve, bytes(key)]))
    expect(read(writeKeys(folder, content))).toEqual({
      signing: inBytes(keys.signing),
      encryption: inBytes(keys.encryption),
      ...('hdSeed' in keys && { hdSeed: bytes(keys.hdSeed) }),
    })
  })

  const shape =
    'expected {signing: {p256, secp256k1, ed25519}, encryption: {p256, secp256k1}, hdSeed} with private keys of 64 hex digits, the seed of 128'
  const noKey = 'not a private key of this curve'
  test.for([
    { content: '', says: 'not valid JSON' },
    { content: `{"signing":{"p256":"${one}"}`, says: 'not valid JSON' },
    { content: `{"signing":{"p256":"${one}}}`, says: 'not valid JSON' },
    { content: `{"signing":{"p256":${one}}}`, says: `signing.p256: ${shape}` },
    { content: [], says: `the file: ${shape}` },
    { content: '"x"', says: `the file: ${shape}` },
    { content: `"${one}"`, says: `the file: ${shape}` },
    { content: 'null', says: `the file: ${shape}` },
    { content: { signing: one }, says: `signing: ${shape}` },
    { content: { signing: [one] }, says: `signing: ${shape}` },
    { content: { signing: [] }, says: `signing: ${shape}` },
    { content: { signing: { p256: one.slice(2) } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: `${one}11` } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: one.slice(1) } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: `g${one.slice(1)}` } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: ` ${one.slice(1)}` } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: `0y${one}` } }, says: `signing.p256: ${shape}` },
    { content: `{"signing":{"p256":"\\u0023${one}"}}`, says: `signing.p256: ${shape}` },
    {
      content: `{"signing":{"p256":"\\u00230","secp256k1":"${one}"}}`,
      says: `signing.p256: ${shape}`,
    },
    { content: `{"signing":{"p256":${two}}}`, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: '' } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: null } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: 1 } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: { key: one } } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p384: one } }, says: `signing.p384: ${shape}` },
    { content: { encryption: { ed25519: one } }, says: `encryption.ed25519: ${shape}` },
    { content: { signing: { p256: seed } }, says: `signing.p256: ${shape}` },
    { content: { hdSeed: one }, says: `hdSeed: ${shape}` },
    { content: { hdSeed: `${seed}00` }, says: `hdSeed: ${shape}` },
    { content: { hdSeed: null }, says: `hdSeed: ${shape}` },
    { content: { hd: one }, says: `hd: ${shape}` },
    { content: { signing: { p256: '#0', secp256k1: one } }, says: `signing.p256: ${shape}` },
    { content: { signing: { p256: '00'.repeat(32) } }, says: `signing.p256: ${noKey}` },
    { content: { signing: { p256: p256Order } }, says: `signing.p256: ${noKey}` },
    { content: { signing: { p256: 'ff'.repeat(32) } }, says: `signing.p256: ${noKey}` },
    { content: { signing: { secp256k1: '00'.repeat(32) } }, says: `signing.secp256k1: ${noKey}` },
    { content: { signing: { secp256k1: secp256k1Order } }, says: `signing.secp256k1: ${noKey}` },
    { content: { encryption: { p256: p256Order } }, says: `encryption.p256: ${noKey}` },
    {
      content: { encryption: { secp256k1: secp256k1Order } },
      says: `encryption.secp256k1: ${noKey}`,
    },
  ])('is refused without a value: $content', async ({ content, says }, { folder }) => {
    const file = writeKeys(folder, content)
    const error = (await thrownBy(() => read(file))) as Error
    expect(error.message).toBe(`${file}: ${says}`)
    expect(error.cause).toBeUndefined()
    expect(error.message).not.toMatch(/1111|abab|ffff|c4c4/i)
  })

  test('errors do not repeat a key that is used as a field name', async ({ folder }) => {
    const file = writeKeys(folder, { signing: { [one]: two } })
    const { message } = (await thrownBy(() => read(file))) as Error
    expect(message).not.toMatch(/1111|abab/i)
  })

  test.for([0o644, 0o640, 0o604, 0o660, 0o601, 0o777])(
    'is refused when others may use it: mode %o',
    async (mode, { folder }) => {
      const file = writeKeys(folder, all, mode)
      const error = await thrownBy(() => read(file))
      const message = `${file}: expected mode 600, found ${mode.toString(8)}; other users could read it`
      expect(error).toMatchObject({ message })
    },
  )

  test.for([0o600, 0o400, 0o700])('is read with mode %o', (mode, { folder }) => {
    expect(read(writeKeys(folder, {}, mode))).toEqual({ signing: {}, encryption: {} })
  })

  test('is named in the error when it is missing', async ({ folder }) => {
    const file = join(folder, 'none.json')
    expect(await thrownBy(() => read(file))).toMatchObject({
      code: 'ENOENT',
      path: file,
    })
  })
})

describe('imported keys', () => {
  const filled = (byte: number) => new Uint8Array(32).fill(byte)
  const merge = (first: ImportedKeys, second: ImportedKeys) => ({
    first,
    second,
    merged: mergeImported(first, second),
  })

  test('from two places: the first wins key by key, unused keys are zeroed', () => {
    const { second, merged } = merge(
      { signing: { p256: filled(1) }, encryption: {}, hdSeed: new Uint8Array(64).fill(2) },
      {
        signing: { p256: filled(3), ed25519: filled(4) },
        encryption: { p256: filled(5) },
        hdSeed: new Uint8Array(64).fill(6),
      },
    )
    expect(merged).toEqual({
      signing: { p256: filled(1), ed25519: filled(4) },
      encryption: { p256: filled(5) },
      hdSeed: new Uint8Array(64).fill(2),
    })
    expect([second.signing.p256, second.hdSeed]).toEqual([filled(0), new Uint8Array(64)])
  })

  test('are empty when no file supplies any', () => {
    const none = () => ({ signing: {}, encryption: {} })
    expect(mergeImported(none(), none())).toEqual(none())
    const { merged } = merge(none(), { ...none(), hdSeed: new Uint8Array(64).fill(7) })
    expect(importedNames(merged)).toEqual(['hdSeed'])
  })

  test('are named, never shown, and zeroed', ({ folder }) => {
    const file = writeKeys(folder, { signing: { ed25519: one }, encryption: { p256: two } })
    const keys = readImportedKeys(file, native.isPrivateKey)
    expect(importedNames(keys)).toEqual(['signing.ed25519', 'encryption.p256'])
    wipeImported(keys)
    expect([keys.signing.ed25519, keys.encryption.p256]).toEqual([filled(0), filled(0)])
  })
})
