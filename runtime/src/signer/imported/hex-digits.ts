/**
 * Hex encoding and decoding of keys in byte arrays: a key in a string could not be zeroed.
 * @module
 */
import { secretBytes } from '../secret-bytes.ts'

const digits = Buffer.from('0123456789abcdef')

/** Writes bytes as lower-case digits. @returns the offset after them */
export function writeHex(into: Buffer, offset: number, bytes: Uint8Array): number {
  for (const byte of bytes) {
    into[offset++] = digits[byte >> 4] ?? 0
    into[offset++] = digits[byte & 15] ?? 0
  }
  return offset
}

/** Decodes an even number of digits in either case; undefined when there are other characters. */
export function readHex(text: Buffer): Uint8Array | undefined {
  const bytes = new Uint8Array(secretBytes(text.length / 2).buffer)
  for (let index = 0; index < text.length; index++) {
    const value = hexDigit(text[index] ?? 0)
    if (value === undefined) {
      bytes.fill(0)
      return undefined
    }
    bytes[index >> 1] = ((bytes[index >> 1] ?? 0) << 4) | value
  }
  return bytes
}

function hexDigit(code: number): number | undefined {
  if (code >= 0x30 && code <= 0x39) return code - 0x30
  const letter = code | 0x20
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : undefined
}
