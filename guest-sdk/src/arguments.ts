/** Checks arguments before a call is sent, so that a mistake shows where it was made. @module */
import { types } from 'node:util'

// More would overflow Node's timers, which then fire at once.
const maxMs = 2 ** 31 - 1

/** @throws TypeError naming the field; it shows no value, because strings may be secrets */
export function checkBytes(field: string, value: unknown): asserts value is Uint8Array {
  if (types.isUint8Array(value)) return
  const remedy = typeof value === 'string' ? "; Buffer.from(text, 'utf8' or 'hex') makes one" : ''
  throw new TypeError(`${field}: expected a Uint8Array, found ${kindOf(value)}${remedy}`)
}

/** @throws TypeError naming the field */
export function checkString(field: string, value: unknown): asserts value is string {
  if (typeof value !== 'string') throw wrongType(field, 'a string', value)
}

/** @throws TypeError naming the argument */
export function checkObject(name: string, value: unknown): asserts value is object {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw wrongType(name, 'an object', value)
  }
}

/** Checks an option that may be absent. @throws TypeError or RangeError naming it */
export function checkMs(field: string, value: unknown): void {
  if (value === undefined) return
  if (typeof value !== 'number') throw wrongType(field, 'a number of milliseconds', value)
  if (Number.isInteger(value) && value >= 0 && value <= maxMs) return
  throw new RangeError(`${field}: expected an integer from 0 to ${maxMs} (ms), found ${value}`)
}

/** Checks an option that may be absent. @throws TypeError or RangeError naming it */
export function checkCount(field: string, value: unknown): void {
  if (value === undefined) return
  if (typeof value !== 'number') throw wrongType(field, 'a number', value)
  if (value >= 0) return
  throw new RangeError(`${field}: expected a number from 0, found ${value}`)
}

/** Checks an option that may be absent. @throws TypeError naming it */
export function checkSignal(field: string, value: unknown): void {
  if (value === undefined) return
  if (typeof value === 'object' && value !== null && 'aborted' in value) return
  throw wrongType(field, 'an AbortSignal', value)
}

function wrongType(field: string, expected: string, value: unknown): TypeError {
  return new TypeError(`${field}: expected ${expected}, found ${kindOf(value)}`)
}

function kindOf(value: unknown): string {
  if (value === undefined) return 'nothing'
  if (value === null) return 'null'
  if (typeof value !== 'object') return `a ${typeof value}`
  const name = value.constructor?.name
  return name === undefined || name === 'Object' ? 'an object' : `an object of class ${name}`
}
