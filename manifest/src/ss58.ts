/** SS58: the textual form of an account, base58(prefix || public key || checksum). @module */
import { blake2b } from '@noble/hashes/blake2.js'
import { base58 } from '@scure/base'

const keyLength = 32
const checksumLength = 2
const maxPrefix = 16383
// 2 + 32 + 2 bytes have at most 50 characters; base58 takes quadratic time on longer texts.
const maxAddressLength = 50

/** The parts of an account address. */
export interface Ss58Address {
  /** The network's prefix, 0..16383. */
  prefix: number
  /** The account identifier, 32 bytes. */
  publicKey: Uint8Array
}

/**
 * Decodes the address of an account with a 32-byte identifier and checks its checksum.
 * @throws TypeError saying what is wrong, without repeating the address
 */
export function decodeSs58(address: string): Ss58Address {
  const bytes = base58Bytes(address)
  const { prefix, length } = readPrefix(bytes)
  const keyEnd = bytes.length - checksumLength
  if (keyEnd - length !== keyLength) throw new TypeError(lengthMessage(bytes.length - length))
  const expected = checksum(bytes.subarray(0, keyEnd))
  if (!expected.every((byte, index) => byte === bytes[keyEnd + index])) {
    throw new TypeError('the SS58 checksum does not match: a character is wrong or missing')
  }
  return { prefix, publicKey: bytes.slice(length, keyEnd) }
}

/**
 * The address of an account under a network prefix.
 * @param publicKey the account identifier, 32 bytes
 * @param prefix 0..16383; 42 is the generic one
 * @throws RangeError for another key length or prefix
 */
export function encodeSs58(publicKey: Uint8Array, prefix: number): string {
  if (publicKey.length !== keyLength) {
    throw new RangeError(`an SS58 account has 32 bytes, not ${publicKey.length}`)
  }
  if (!Number.isInteger(prefix) || prefix < 0 || prefix > maxPrefix) {
    throw new RangeError(`an SS58 prefix is 0..${maxPrefix}, not ${prefix}`)
  }
  const body = Uint8Array.from([...prefixBytes(prefix), ...publicKey])
  return base58.encode(Uint8Array.from([...body, ...checksum(body)]))
}

function base58Bytes(address: string): Uint8Array {
  if (address.length > maxAddressLength) {
    throw new TypeError(`an SS58 address has at most ${maxAddressLength} characters`)
  }
  const stray = /[^1-9A-HJ-NP-Za-km-z]/.exec(address)
  if (stray) throw new TypeError(`character ${stray.index + 1} of the SS58 address is not base58`)
  return base58.decode(address)
}

/** The prefix as one byte below 64, else two with 14 reordered bits (SS58 format, type prefix). */
function prefixBytes(prefix: number): number[] {
  if (prefix < 64) return [prefix]
  return [0b0100_0000 | ((prefix & 0xfc) >> 2), (prefix >> 8) | ((prefix & 0b11) << 6)]
}

function readPrefix(bytes: Uint8Array): { prefix: number; length: number } {
  const [first = 0, second = 0] = bytes
  if (first < 64) return { prefix: first, length: 1 }
  if (first >= 128) throw new TypeError('the SS58 prefix is of a reserved form')
  const prefix = ((first & 0b0011_1111) << 2) | (second >> 6) | ((second & 0b0011_1111) << 8)
  // Otherwise one account would have two addresses with the same prefix.
  if (prefix < 64) throw new TypeError('the SS58 prefix takes two bytes where one is enough')
  return { prefix, length: 2 }
}

function lengthMessage(rest: number): string {
  return `an SS58 account has 32 bytes, this address holds ${Math.max(0, rest - checksumLength)}`
}

function checksum(body: Uint8Array): Uint8Array {
  const tagged = Uint8Array.from([...new TextEncoder().encode('SS58PRE'), ...body])
  return blake2b(tagged, { dkLen: 64 }).subarray(0, checksumLength)
}
