/**
 * Checks names before they are looked up. dns-packet encodes any text: a label of 64 characters
 * turns into a pointer, `a..b` into `a`. And names in a reply may contain anything.
 * @module
 */

/** RFC 1035, without the final dot. */
const mostCharacters = 253
const label = /^[a-z0-9_](?:[a-z0-9_-]{0,61}[a-z0-9_])?$/i

/** Letters, digits, hyphens and underscores in labels of 1 to 63, 253 in all; no final dot. */
export function isDomainName(name: string): boolean {
  return name.length <= mostCharacters && name.split('.').every((part) => label.test(part))
}

/** Whether inet_aton(3) or the like would read an address, as from `0x7f.1` and `2130706433`. */
export function isNumeric(name: string): boolean {
  return /(?:^|\.)(?:\d+|0x[0-9a-f]*)$/i.test(name)
}
