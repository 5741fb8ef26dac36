/** The schemas of single values in a deployment file. @module */
import * as v from 'valibot'
import { noNul } from './document/field.ts'
import { decodeSs58 } from './ss58.ts'

const maxIdLength = 256
const text = 'a non-empty string'
const id = `a string of 1 to ${maxIdLength} characters without control characters and other than "." and "..", or an integer`
const source = 'an even number (2 to 128) of hex digits, or an SS58 address'
const address = 'an SS58 address'
const method = 'a method name such as signer_sign, or a family such as signer_*'

/** A string that is not empty. */
export function nonEmptyText() {
  return v.pipe(v.string(text), v.nonEmpty(text))
}

/**
 * An id: 1 to 256 characters that the path of a URL can have, or an integer (later its decimal). A
 * URL resolves `.` and `..` away, and has no form for half a character (`\p{Cs}`).
 */
export function idValue() {
  const fits = v.check((value: string) => !/^\.\.?$|[\p{Cc}\p{Cs}]/u.test(value), id)
  const string = v.pipe(v.string(id), v.nonEmpty(id), v.maxLength(maxIdLength, id), fits)
  return v.union([string, v.pipe(v.number(id), v.safeInteger(id))], id)
}

/** A path; messages call it `phrase`. */
export function filePath(phrase: string) {
  return v.pipe(v.string(phrase), v.nonEmpty(phrase), v.check(noNul, 'a path without NUL'))
}

/** A count, size or time: 0 or more, within what a JSON number holds exactly. */
export function countOf(phrase: string) {
  return v.pipe(v.number(phrase), v.safeInteger(phrase), v.minValue(0, phrase))
}

/** A public key in hex, with or without 0x, whose length in bytes is one of `lengths`. */
export function publicKey(phrase: string, lengths: readonly number[]) {
  const sizes = lengths.map((length) => `[0-9a-fA-F]{${2 * length}}`)
  const pattern = new RegExp(`^(?:0[xX])?(?:${sizes.join('|')})$`)
  return v.pipe(v.string(phrase), v.regex(pattern, phrase))
}

/** An account as bytes in hex (1 to 64), or as an SS58 address. */
export function sourceAccount() {
  const isHex = (value: string) => /^(?:0x)?(?:[0-9a-f]{2}){1,64}$/i.test(value)
  return v.pipe(
    v.string(source),
    v.check((value) => isHex(value) || isSs58(value), source),
  )
}

/** The SS58 address of an account. */
export function ss58Address() {
  return v.pipe(v.string(address), v.check(isSs58, address))
}

/** A wire name or `family_*`; only its form is checked, as a host may know further methods. */
export function methodName() {
  const pattern = /^(?:[a-z][A-Za-z0-9]*_(?:\*|[A-Za-z0-9]+)|rpc\.(?:\*|[A-Za-z0-9]+))$/
  return v.pipe(v.string(method), v.regex(pattern, method))
}

/** Whether the end comes after the start; true when either is absent, null or 0. */
export function endsAfterStart(start?: number | null, end?: number | null): boolean {
  return !start || !end || end > start
}

function isSs58(value: string): boolean {
  try {
    decodeSs58(value)
    return true
  } catch {
    // deployment-hints finds the exact reason and gives it as the hint.
    return false
  }
}
