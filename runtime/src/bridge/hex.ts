/**
 * Hex on the wire: read in either case with an optional `0x` or `0X`, written in lower case without it.
 * @module
 */

/** Form of a hex field; `Buffer.from` alone would silently truncate bad input. */
export const hexPattern = /^(?:0[xX])?(?:[0-9a-fA-F]{2})*$/

/** Bytes of a field that matched {@link hexPattern}. */
export function hexBytes(hex: string): Uint8Array {
  return Buffer.from(withoutPrefix(hex), 'hex')
}

/** Encodes bytes for the wire. */
export function toHex(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString('hex')
}

/** The fault of a field that did not match; without its content, which may be a plaintext. */
export function describeBadHex(text: string): string {
  const digits = withoutPrefix(text)
  const bad = /[^0-9a-fA-F]/.exec(digits)
  if (bad)
    return `a character that is no hex digit at position ${bad.index + text.length - digits.length}`
  return `an odd number of digits (${digits.length})`
}

function withoutPrefix(hex: string): string {
  return /^0[xX]/.test(hex) ? hex.slice(2) : hex
}
