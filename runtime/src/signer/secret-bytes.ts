/**
 * Bytes that can be zeroed.
 * @module
 */

/**
 * Zeros for a secret to be written to. Up to 64 bytes, `Buffer.alloc` and `new Uint8Array` lie in
 * V8's own heap, and move: when something native looks at them V8 copies them out, and who zeroes
 * them then zeroes the copy.
 */
export function secretBytes(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length))
}
