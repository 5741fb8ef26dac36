/**
 * A deployment's keys from a file, for moving a deployment between hosts.
 * @module
 */
import { ed25519 } from '@noble/curves/ed25519.js'
import { p256 } from '@noble/curves/nist.js'
import { secp256k1 } from '@noble/curves/secp256k1.js'
import * as v from 'valibot'
import type { PrivateKeys } from './derivation.ts'
import { readSecretFile } from './secret-file.ts'

/** Keys that a file replaces; every one is optional. */
export interface ImportedKeys {
  signing: Partial<PrivateKeys['signing']>
  encryption: Partial<PrivateKeys['encryption']>
}

const maxFileBytes = 64 * 1024
const quote = 0x22
const blank = 0x20
const markSign = 0x23
const keyHexDigits = 64

const isValidKey = {
  p256: p256.utils.isValidSecretKey,
  secp256k1: secp256k1.utils.isValidSecretKey,
  ed25519: ed25519.utils.isValidSecretKey,
}

type Marks = Partial<Record<keyof typeof isValidKey, string>>

const slot = v.exactOptional(v.pipe(v.string(), v.regex(/^#\d+$/)))
// valibot takes an empty array for an empty object.
const noArray = v.check((value: unknown) => !Array.isArray(value))
const objectOf = <E extends v.ObjectEntries>(entries: E) =>
  v.pipe(v.unknown(), noArray, v.strictObject(entries))
const keysFile = objectOf({
  signing: v.exactOptional(objectOf({ p256: slot, secp256k1: slot, ed25519: slot })),
  encryption: v.exactOptional(objectOf({ p256: slot, secp256k1: slot })),
})

/**
 * Reads `{signing: {p256, secp256k1, ed25519}, encryption: {p256, secp256k1}}`, each a private key
 * of 32 bytes in hex. The digits are decoded from the file's buffer and blanked before the rest
 * becomes a string, so no key is ever in a JavaScript string.
 * @throws Error naming file and field, never a value.
 */
export function readImportedKeys(file: string): ImportedKeys {
  const content = readSecretFile(file, maxFileBytes)
  try {
    const keys = cutOutKeys(content)
    const document = parseDocument(file, content)
    const pick = (name: string, group: Marks | undefined) =>
      Object.fromEntries(
        Object.entries(group ?? {}).map(([curve, mark]) => {
          const key = keys[Number(mark.slice(1))]
          if (key && isValidKey[curve as keyof Marks](key)) return [curve, key]
          throw new Error(`${file}: ${name}.${curve}: not a private key of this curve`)
        }),
      )
    return {
      signing: pick('signing', document.signing),
      encryption: pick('encryption', document.encryption),
    }
  } finally {
    content.fill(0)
  }
}

function parseDocument(file: string, blanked: Buffer): v.InferOutput<typeof keysFile> {
  let document: unknown
  try {
    document = JSON.parse(blanked.toString('utf8'))
  } catch {
    throw new Error(`${file}: not valid JSON`)
  }
  const result = v.safeParse(keysFile, document)
  if (result.success) return result.output
  const path = v.getDotPath(result.issues[0]) ?? 'the file'
  throw new Error(
    `${file}: ${path}: expected {signing: {p256, secp256k1, ed25519}, encryption: {p256, secp256k1}} with private keys of ${keyHexDigits} hex digits`,
  )
}

/** Takes every string of 64 hex digits (optional `0x`) out of the buffer and leaves `#index`. */
function cutOutKeys(content: Buffer): Uint8Array[] {
  const keys: Uint8Array[] = []
  for (let open = content.indexOf(quote); open >= 0;) {
    const close = content.indexOf(quote, open + 1)
    if (close < 0) break
    const key = decodeKey(content.subarray(open + 1, close))
    if (key) {
      content.fill(blank, open, close + 1)
      content.write(`"#${keys.push(key) - 1}"`, open)
    } else if (content[open + 1] === markSign) {
      // A mark written in the file itself must not stand for another field's key.
      content[open + 1] = blank
    }
    open = content.indexOf(quote, close + 1)
  }
  return keys
}

function decodeKey(text: Buffer): Uint8Array | undefined {
  const digits = text[0] === 0x30 && text[1] === 0x78 ? text.subarray(2) : text
  if (digits.length !== keyHexDigits) return undefined
  const key = new Uint8Array(keyHexDigits / 2)
  for (let index = 0; index < digits.length; index++) {
    const value = hexDigit(digits[index] ?? 0)
    if (value === undefined) return undefined
    key[index >> 1] = ((key[index >> 1] ?? 0) << 4) | value
  }
  return key
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}
