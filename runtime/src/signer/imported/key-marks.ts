/**
 * Removes hex keys from the bytes of a keys file before they become a JavaScript string.
 * @module
 */
import { readHex } from './hex-digits.ts'

export const keyBytes = 32
export const seedBytes = 64

const quote = 0x22
const blank = 0x20
const markSign = 0x23

const backslash = 0x5c
const zero = 0x30
// Longer than every field's name, and shorter than half a key.
const longestWord = 16

/**
 * Replaces every string of 64 or 128 hex digits (optional `0x` or `0X`) by a mark `#index`, and blanks
 * other strings that could be a mistyped key. Returns the keys by index.
 */
export function cutOutKeys(content: Buffer): Uint8Array[] {
  const keys: Uint8Array[] = []
  for (let open = content.indexOf(quote); open >= 0;) {
    const close = content.indexOf(quote, open + 1)
    if (close < 0) break
    const key = decodeKey(content.subarray(open + 1, close))
    if (key) {
      content.fill(blank, open, close + 1)
      content.write(`"#${keys.push(key) - 1}"`, open)
    } else if (isOddText(content.subarray(open + 1, close))) {
      content.fill(blank, open + 1, close)
    }
    open = content.indexOf(quote, close + 1)
  }
  blankLongWords(content)
  return keys
}

/** True for a possible mistyped key, and for text that could forge a mark, plain or escaped. */
function isOddText(text: Buffer): boolean {
  return text[0] === markSign || text.length > longestWord || text.includes(backslash)
}

/** Blanks words outside of strings that are long enough to be a key without quotes. */
function blankLongWords(content: Buffer): void {
  for (let start = 0; start < content.length; start++) {
    let end = start
    while (isWordByte(content[end] ?? 0)) end++
    // One digit stays, so that the parser still finds a number and the error names its field.
    if (end - start > longestWord) content.fill(blank, start, end).fill(zero, start, start + 1)
    start = end
  }
}

function isWordByte(byte: number): boolean {
  const letter = byte | 0x20
  return (byte >= 0x30 && byte <= 0x39) || (letter >= 0x61 && letter <= 0x7a)
}

function decodeKey(text: Buffer): Uint8Array | undefined {
  // 0x20 makes a letter a small one.
  const hasPrefix = text[0] === 0x30 && ((text[1] ?? 0) | 0x20) === 0x78
  const digits = hasPrefix ? text.subarray(2) : text
  return digits.length === 2 * keyBytes || digits.length === 2 * seedBytes
    ? readHex(digits)
    : undefined
}
