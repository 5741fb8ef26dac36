/**
 * Hex as the bridge's specification defines it, and its bytes.
 * @module
 */
import { CheckFailed, expectThat, shown } from './outcome.ts'

const anyHex = /^(?:[0-9a-fA-F]{2})*$/

/** Bytes of a hex string in either case. @throws CheckFailed naming the field */
export function bytesOf(value: unknown, field: string): Buffer {
  if (typeof value === 'string' && anyHex.test(value)) return Buffer.from(value, 'hex')
  throw new CheckFailed(`${field}: hex digits of even length`, shown(value))
}

/** Fails unless every value is hex in lower case, without 0x. */
export function expectLowerCase(strings: readonly unknown[]): void {
  for (const text of strings) {
    const isLower = typeof text === 'string' && /^(?:[0-9a-f]{2})*$/.test(text)
    expectThat(isLower, 'hex in lower case without 0x', text)
  }
}
