/**
 * Reads and writes a deployment's keys as JSON, for moving it between hosts. Keys move between byte
 * arrays and the file's buffer only, so none is ever in a JavaScript string.
 * @module
 */
import type { SigningCurve } from '@causeway/guest-sdk/protocol'
import * as v from 'valibot'
import { writeHex } from './hex-digits.ts'
import { cutOutKeys, keyBytes, seedBytes } from './key-marks.ts'
import { secretBytes } from '../secret-bytes.ts'
import type { ImportedKeys, SignerBackend } from '../backend.ts'

/** Whether bytes are a private key of the curve; the backend decides. */
export type KeyCheck = SignerBackend['isPrivateKey']

const mark = v.exactOptional(v.pipe(v.string(), v.regex(/^#\d+$/)))
// valibot accepts an empty array as an empty object.
const noArray = v.check((value: unknown) => !Array.isArray(value))
const objectOf = <E extends v.ObjectEntries>(entries: E) =>
  v.pipe(v.unknown(), noArray, v.strictObject(entries))
const keysDocument = objectOf({
  signing: v.exactOptional(objectOf({ p256: mark, secp256k1: mark, ed25519: mark })),
  encryption: v.exactOptional(objectOf({ p256: mark, secp256k1: mark })),
  hdSeed: mark,
})
type KeysDocument = v.InferOutput<typeof keysDocument>
const shape =
  'expected {signing: {p256, secp256k1, ed25519}, encryption: {p256, secp256k1}, hdSeed} with private keys of 64 hex digits, the seed of 128'

/**
 * Reads `{signing: {p256, secp256k1, ed25519}, encryption: {p256, secp256k1}, hdSeed}`; every field
 * is optional. Overwrites the digits in `content`.
 * @param name the file's name in errors
 * @throws Error naming file and field, never a value
 */
export function decodeKeysFile(
  name: string,
  content: Buffer,
  isPrivateKey: KeyCheck,
): ImportedKeys {
  const found = cutOutKeys(content)
  const used = new Set<Uint8Array>()
  try {
    return pickKeys(name, parseDocument(name, content), isPrivateKey, (text) => {
      const key = found[Number(text.slice(1))]
      if (key) used.add(key)
      return key
    })
  } catch (error) {
    used.clear()
    throw error
  } finally {
    for (const key of found) if (!used.has(key)) key.fill(0)
  }
}

function pickKeys(
  name: string,
  { signing, encryption, hdSeed }: KeysDocument,
  isPrivateKey: KeyCheck,
  keyOf: (mark: string) => Uint8Array | undefined,
): ImportedKeys {
  const take = (field: string, mark: string, bytes: number) => {
    const key = keyOf(mark)
    if (key?.length === bytes) return key
    throw new Error(`${name}: ${field}: ${shape}`)
  }
  const pick = (group: string, marks: Record<string, string> = {}) =>
    Object.fromEntries(
      Object.entries(marks).map(([curve, text]) => {
        const key = take(`${group}.${curve}`, text, keyBytes)
        if (isPrivateKey(curve as SigningCurve, key)) return [curve, key]
        throw new Error(`${name}: ${group}.${curve}: not a private key of this curve`)
      }),
    )
  return {
    signing: pick('signing', signing),
    encryption: pick('encryption', encryption),
    ...(hdSeed !== undefined && { hdSeed: take('hdSeed', hdSeed, seedBytes) }),
  }
}

/** Encodes keys as `decodeKeysFile` reads them, one key per line; the caller zeroes the result. */
export function encodeKeysFile({ signing, encryption, hdSeed }: ImportedKeys): Buffer {
  const parts = [
    '{',
    ...groupParts('signing', signing),
    ',',
    ...groupParts('encryption', encryption),
    ...(hdSeed ? [',\n  "hdSeed": "', hdSeed, '"'] : []),
    '\n}\n',
  ]
  const lengths = parts.map((part) => (typeof part === 'string' ? part.length : 2 * part.length))
  const content = secretBytes(lengths.reduce((sum, length) => sum + length))
  let offset = 0
  for (const part of parts) {
    offset =
      typeof part === 'string'
        ? offset + content.write(part, offset)
        : writeHex(content, offset, part)
  }
  return content
}

function groupParts(name: string, keys: Record<string, Uint8Array>): (string | Uint8Array)[] {
  const fields = Object.entries(keys).flatMap(([curve, key], index) => [
    `${index > 0 ? ',' : ''}\n    "${curve}": "`,
    key,
    '"',
  ])
  return [`\n  "${name}": {`, ...fields, fields.length > 0 ? '\n  }' : '}']
}

function parseDocument(name: string, blanked: Buffer): KeysDocument {
  let document: unknown
  try {
    document = JSON.parse(blanked.toString('utf8'))
  } catch {
    throw new Error(`${name}: not valid JSON`)
  }
  const result = v.safeParse(keysDocument, document)
  if (result.success) return result.output
  throw new Error(`${name}: ${v.getDotPath(result.issues[0]) ?? 'the file'}: ${shape}`)
}
