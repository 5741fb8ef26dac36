import { describe, expect, it } from 'vitest'
import { isSealed, sealRoot, unsealRoot } from '../../../../runtime/src/signer/root/sealed-root.ts'
import { hex } from '../../../support/hex.ts'
import { thrownBy } from '../../../support/thrown.ts'

const secret = Buffer.alloc(32, 7)
const passphrase = Buffer.from('correct horse')
const sealed = await sealRoot(secret, passphrase)
const text = sealed.toString()

interface Document {
  kdf: Record<string, unknown>
  [field: string]: unknown
}
const edited = (change: (document: Document) => void) => {
  const document = JSON.parse(text) as Document
  change(document)
  return `${JSON.stringify(document)}\n`
}
const open = (content: string, by: Buffer = passphrase) =>
  unsealRoot('file', Buffer.from(content), by)
const refusal = async (content: string) => ((await thrownBy(() => open(content))) as Error).message
const changed = 'file: wrong passphrase, or the file was changed'

describe('a sealed root secret', () => {
  it('is one line of JSON, as the documentation has it', () => {
    expect(text).toMatch(
      /^\{"causeway":"root-secret","version":1,"kdf":\{"name":"scrypt","N":131072,"r":8,"p":1,"salt":"[0-9a-f]{64}"\},"cipher":"aes-256-gcm","iv":"[0-9a-f]{24}","sealed":"[0-9a-f]{96}"\}\n$/,
    )
    expect(isSealed(sealed)).toBe(true)
    expect(isSealed(secret)).toBe(false)
    expect(isSealed(Buffer.alloc(32, '{'))).toBe(false)
  })

  it('opens with its passphrase only', async () => {
    expect(hex(await open(text))).toBe(hex(secret))
    for (const other of ['correct hors', 'correct horse ', 'Correct horse', '\0correct horse']) {
      const error = (await thrownBy(() => open(text, Buffer.from(other)))) as Error
      expect(error.message).toBe(changed)
      expect(error.cause).toBeUndefined()
    }
  })

  it('differs every time', async () => {
    const again = (await sealRoot(secret, passphrase)).toString()
    const fields = [text, again].map((one) => JSON.parse(one) as Document)
    const [first, second] = fields.map(({ kdf: { salt }, iv, sealed: body }) => [salt, iv, body])
    expect(first!.filter((value, index) => value === second![index])).toEqual([])
  })

  it('accepts a passphrase of any bytes', async () => {
    const bytes = Buffer.from([0, 0xff, 0x0a, 0xfe])
    const content = (await sealRoot(secret, bytes)).toString()
    expect(hex(await open(content, bytes))).toBe(hex(secret))
  })

  it.each<{ name: string; change: (document: Document) => void }>([
    { name: 'another N', change: ({ kdf }) => (kdf['N'] = 65536) },
    { name: 'another r', change: ({ kdf }) => (kdf['r'] = 4) },
    { name: 'another p', change: ({ kdf }) => (kdf['p'] = 2) },
    { name: 'another salt', change: ({ kdf }) => (kdf['salt'] = flip(kdf['salt'])) },
    { name: 'another iv', change: (document) => (document['iv'] = flip(document['iv'])) },
    { name: 'another body', change: (document) => (document['sealed'] = flip(document['sealed'])) },
    {
      name: 'another tag',
      change: (document) => (document['sealed'] = reversed(flip(reversed(document['sealed'])))),
    },
  ])('does not open with $name', async ({ change }) => {
    expect(await refusal(edited(change))).toBe(changed)
  })

  it('does not open with a changed header', async () => {
    expect(await refusal(text.replace('"version":1', '"version": 1'))).toBe(changed)
    expect(await refusal(text.replace('"version":1', '"version":1.0'))).toBe(changed)
    const { version, ...rest } = JSON.parse(text) as Document
    expect(await refusal(JSON.stringify({ version, ...rest }))).toBe(changed)
  })

  it.each<{ field: string; values: readonly unknown[]; change: (to: unknown) => string }>([
    ...(
      [
        ['causeway', ['', 'Root-secret', 1, null, undefined]],
        ['version', [0, 2, '1', null, undefined]],
        ['cipher', ['aes-128-gcm', 'AES-256-GCM', null, undefined]],
        ['iv', ['', '00', 'zz'.repeat(12), '00'.repeat(13), 0, undefined]],
        ['sealed', ['', '00'.repeat(47), '00'.repeat(49), 'AA'.repeat(48), undefined]],
        ['kdf', [null, {}, [], 'scrypt', undefined]],
      ] as const
    ).map(([field, values]) => ({
      field,
      values,
      change: (to: unknown) => edited((document) => Object.assign(document, { [field]: to })),
    })),
    ...(
      [
        ['name', ['pbkdf2', null, undefined]],
        ['N', [0, 1, 3, -2, 131_073, 2 ** 30, 2 ** 53, 1e300, '131072', 1.5, undefined]],
        ['r', [0, -8, 1.5, 1e9, '8', undefined]],
        ['p', [0, 5, 1e9, -1, 0.5, undefined]],
        ['salt', ['', '00'.repeat(31), '00'.repeat(33), undefined]],
      ] as const
    ).map(([field, values]) => ({
      field: `kdf.${field}`,
      values,
      change: (to: unknown) => edited(({ kdf }) => Object.assign(kdf, { [field]: to })),
    })),
  ])('is refused before any work: $field', async ({ values, change, field }) => {
    for (const value of values) {
      expect(await refusal(change(value))).toMatch(
        /^file: (?:[a-zN.]+): not as in a sealed root secret of version 1$/,
      )
      expect(await refusal(change(value))).toContain(field.split('.')[0])
    }
  })

  it('with an unknown field is refused', async () => {
    expect(await refusal(edited((document) => (document['more'] = 1)))).toContain('more: not as in')
    expect(await refusal(edited(({ kdf }) => (kdf['more'] = 1)))).toContain('kdf.more: not as in')
  })

  it('is refused when it is cut anywhere', async () => {
    for (let length = 33; length < text.length - 1; length += 7) {
      expect(await refusal(text.slice(0, length))).toContain('the file: not as in')
    }
  })
})

/** Changes the first hex digit. */
function flip(value: unknown): string {
  const digits = String(value)
  return `${digits.startsWith('0') ? '1' : '0'}${digits.slice(1)}`
}

function reversed(value: unknown): string {
  return Array.from(String(value)).reverse().join('')
}
