/**
 * Names, strings and field paths as messages show them: short, on one line, without secrets.
 * @module
 */
import type { Keys } from './fault.ts'

// Long enough for an SS58 address (at most 50 characters).
export const maxShownLength = 50

/** A string in quotes, escaped and shortened. */
export function quote(text: string): string {
  // 32 bytes of hex in the wrong place may be a private key.
  if (/^(?:0x)?[0-9a-f]{64,}$/i.test(text)) return ofLength(text)
  const safe = text.replace(/\/\/[^/@\s]*@/g, '//…@')
  if (safe.length <= maxShownLength) return escape(safe)
  return `${escape(safe.slice(0, maxShownLength))}… (${text.length} characters)`
}

/** A member name in quotes; for `NAME=value`, a mistake in an environment, only the name. */
export function quoteName(name: string): string {
  const at = name.indexOf('=')
  return quote(at === -1 ? name : `${name.slice(0, at)}=…`)
}

/** A path such as `image.sha256`, `policy.methods[2]` or `environment["a b"]`. */
export function fieldPath(keys: Keys): string {
  return keys.reduce<string>((path, key) => path + step(key, path === ''), '')
}

function step(key: string | number, isFirst: boolean): string {
  if (typeof key === 'number') return `[${key}]`
  const isPlain = /^[\w$]{1,50}$/.test(key)
  if (!isPlain || quoteName(key) !== `"${key}"`) return `[${quoteName(key)}]`
  return isFirst ? key : `.${key}`
}

/** Describes a string by its length only. */
export function ofLength(text: string): string {
  return `a string of ${text.length} character${text.length === 1 ? '' : 's'}`
}

/** Applies JSON's own escapes, and escapes invisible and direction-changing characters. */
function escape(text: string): string {
  return JSON.stringify(text).replace(/[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu, (character) => {
    const code = character.codePointAt(0) ?? 0
    return code > 0xffff ? `\\u{${code.toString(16)}}` : `\\u${code.toString(16).padStart(4, '0')}`
  })
}
