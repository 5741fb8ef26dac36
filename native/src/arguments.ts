/** Checks of arguments from callers: the addon itself checks none. @module */
import { isIP } from 'node:net'

const maxDescriptor = 0x7fffffff

/** The largest valid user id: 0xffffffff means "leave unchanged" to chown(2). */
const maxUid = 0xfffffffe

/**
 * Refuses anything but an integer from `least` to `most`.
 *
 * @throws TypeError when it is not a number, RangeError when it is outside the bounds.
 */
export function checkInteger(value: unknown, name: string, least: number, most: number): void {
  if (typeof value !== 'number') throw new TypeError(`${name} must be a number`)
  if (!Number.isInteger(value) || value < least || value > most) {
    throw new RangeError(`${name} must be an integer from ${least} to ${most}, got ${value}`)
  }
}

/** Refuses anything but a possible file descriptor. @throws TypeError or RangeError */
export function checkDescriptor(value: unknown, name = 'fd'): void {
  checkInteger(value, name, 0, maxDescriptor)
}

/** Refuses anything but a possible user id. @throws TypeError or RangeError */
export function checkUid(value: unknown, name: string): void {
  checkInteger(value, name, 0, maxUid)
}

/** Refuses what is no IPv4 or IPv6 address, also one with a zone. @throws TypeError or RangeError */
export function checkAddress(value: unknown, name = 'address'): void {
  if (typeof value !== 'string') throw new TypeError(`${name} must be a string`)
  if (isIP(value) !== 0 && !value.includes('%')) return
  throw new RangeError(`${name} must be an IPv4 or IPv6 address, got ${JSON.stringify(value)}`)
}
