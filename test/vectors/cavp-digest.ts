/**
 * What a CAVP test of ECDSA signs.
 * @module
 */
import { createHash } from 'node:crypto'
import type { Vector } from './debian-vectors.ts'

/** `SHA-256` of `[P-256,SHA-256]`. */
export function hashOf({ section }: Vector): string {
  return section.slice(section.indexOf(',') + 1, -1)
}

export function messageOf({ fields }: Vector): Buffer {
  return Buffer.from(fields['Msg'] ?? '', 'hex')
}

/** The digest as 32 bytes: of a longer one the first, a shorter one as a number (FIPS 186-4 §6.4). */
export function digestOf(vector: Vector): Uint8Array {
  const digest = createHash(hashOf(vector)).update(messageOf(vector)).digest()
  return Buffer.concat([Buffer.alloc(32 - Math.min(32, digest.length)), digest.subarray(0, 32)])
}
