import { describe, expect, test } from 'vitest'
import { decodeSs58, encodeSs58 } from '@causeway/manifest'
import { alice, aliceHex } from './examples.ts'

function bytes(hex: string): Uint8Array {
  return Uint8Array.from(Buffer.from(hex, 'hex'))
}

// The well-known development accounts. The two-byte prefixes were computed once more with Python
// (hashlib.blake2b and a base58 of four lines).
const vectors = [
  { hex: aliceHex, prefix: 42, address: alice },
  { hex: aliceHex, prefix: 0, address: '15oF4uVJwmo4TdGW7VfQxNLavjCXviqxT9S1MgbjMNHr6Sp5' },
  { hex: aliceHex, prefix: 2, address: 'HNZata7iMYWmk5RvZRTiAsSDhV8366zq2YGb3tLH5Upf74F' },
  { hex: aliceHex, prefix: 63, address: '7NPoMQbiA6trJKkjB35uk96MeJD4PGWkLQLH7k7hXEkZpiba' },
  { hex: aliceHex, prefix: 64, address: 'cEaNSpz4PxFcZ7nT1VEKrKewH67rfx6MfcM6yKojyyPz7qaqp' },
  { hex: aliceHex, prefix: 255, address: 'yGHXkYLYqxijLKKfd9Q2CB9shRVu8rPNBS53wvwGTutYg4zTg' },
  { hex: aliceHex, prefix: 16383, address: 'yNa8JpqfFB3q8A29rCwSgxvdU94ufJw2yKKxDgznS5m1PoFvn' },
  {
    hex: '8eaf04151687736326c9fea17e25fc5287613693c912909cb226aa4794f26a48',
    prefix: 42,
    address: '5FHneW46xGXgs5mUiveU4sbTyGBzmstUspZC92UhjJM694ty',
  },
]

describe('SS58', () => {
  test.each(vectors)('$address has prefix $prefix', ({ hex, prefix, address }) => {
    expect(encodeSs58(bytes(hex), prefix)).toBe(address)
    expect(decodeSs58(address)).toEqual({ prefix, publicKey: bytes(hex) })
  })

  test('every prefix comes back', () => {
    for (let prefix = 0; prefix < 16384; prefix += 61) {
      const address = encodeSs58(bytes(aliceHex), prefix)
      expect(decodeSs58(address)).toEqual({ prefix, publicKey: bytes(aliceHex) })
    }
  })

  test('an account of zeros comes back', () => {
    const zeros = new Uint8Array(32)
    expect(decodeSs58(encodeSs58(zeros, 0))).toEqual({ prefix: 0, publicKey: zeros })
  })

  test('any changed character is noticed', () => {
    for (let index = 0; index < alice.length; index++) {
      const other = alice[index] === 'a' ? 'b' : 'a'
      const changed = alice.slice(0, index) + other + alice.slice(index + 1)
      expect(() => decodeSs58(changed)).toThrow(TypeError)
    }
  })

  test.each([
    ['', 'an SS58 account has 32 bytes, this address holds 0'],
    ['0', 'character 1 of the SS58 address is not base58'],
    [` ${alice}`, 'character 1 of the SS58 address is not base58'],
    [alice.slice(0, -2), 'an SS58 account has 32 bytes, this address holds 31'],
    [`${alice.slice(0, -1)}Z`, 'the SS58 checksum does not match: a character is wrong or missing'],
    // Account index 1: valid SS58, but no account.
    ['F7Hs', 'an SS58 account has 32 bytes, this address holds 0'],
    ['1'.repeat(51), 'an SS58 address has at most 50 characters'],
    ['z'.repeat(49), 'the SS58 prefix is of a reserved form'],
    // Prefix 42 in the form of two bytes.
    ['Zp5wgt7iipcBBD8qrDbgQerUy6vWeg3np21675SE43SmZaPo9', 'two bytes'],
  ])('%j is refused', (address, message) => {
    expect(() => decodeSs58(address)).toThrow(TypeError)
    expect(() => decodeSs58(address)).toThrow(message)
  })

  test.each([
    [new Uint8Array(31), 42, 'an SS58 account has 32 bytes, not 31'],
    [new Uint8Array(32), -1, 'an SS58 prefix is 0..16383, not -1'],
    [new Uint8Array(32), 16384, 'an SS58 prefix is 0..16383, not 16384'],
    [new Uint8Array(32), 0.5, 'an SS58 prefix is 0..16383, not 0.5'],
  ])('no address for %j under %d', (publicKey, prefix, message) => {
    expect(() => encodeSs58(publicKey, prefix)).toThrow(new RangeError(message))
  })
})
