/** Parses the account of a deployment's owner. @module */
import { decodeSs58 } from '@causeway/manifest'

/**
 * The account's 32 bytes, from 64 hex digits (with or without 0x) or an SS58 address.
 * @throws TypeError naming what was found and what was expected
 */
export function sourceAccount(text: string): Uint8Array {
  const digits = text.replace(/^0x/i, '')
  if (/^[0-9a-f]{64}$/i.test(digits)) return Uint8Array.from(Buffer.from(digits, 'hex'))
  if (/^[0-9a-f]*$/i.test(digits) && (digits !== text || digits.length > 50))
    throw bad(`${digits.length} hex digits`)
  try {
    return decodeSs58(text).publicKey
  } catch (cause) {
    throw bad(`${JSON.stringify(text.slice(0, 80))} (${(cause as Error).message})`, cause)
  }
}

function bad(found: string, cause?: unknown): TypeError {
  const expected = 'an account of 64 hex digits or an SS58 address'
  return new TypeError(`expected ${expected}, found ${found}`, { cause })
}
