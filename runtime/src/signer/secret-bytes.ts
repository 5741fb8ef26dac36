/** Allocates memory that can be reliably zeroed. @module */

/**
 * A zeroed buffer for a secret. `Buffer.alloc` and `new Uint8Array` put up to 64 bytes into V8's
 * own heap, which moves them: when native code reads them, V8 first copies them out, and zeroing
 * then clears only the copy.
 */
export function secretBytes(length: number): Buffer {
  return Buffer.from(new ArrayBuffer(length))
}

/** Uses a secret, and zeroes it whether or not that succeeds. */
export function wiping<B extends Uint8Array, T>(secret: B, use: (secret: B) => T): T {
  try {
    return use(secret)
  } finally {
    secret.fill(0)
  }
}
