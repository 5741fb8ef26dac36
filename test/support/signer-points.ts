/**
 * Points of the two curves, and bytes that are none, by independent arithmetic.
 * @module
 */
import type { EncryptionCurve } from '@causeway/guest-sdk/protocol'
import type { RandomSource } from './signer-random.ts'
import { randomKey, toBytes, toNumber, weierstrass } from './signer-reference.ts'

/** y² = x³ + a x + b modulo p (SEC 2). */
export const equations = {
  p256: {
    p: 2n ** 256n - 2n ** 224n + 2n ** 192n + 2n ** 96n - 1n,
    a: -3n,
    b: 0x5ac635d8aa3a93e7b3ebbd55769886bc651d06b0cc53b0f63bce3c3e27d2604bn,
  },
  secp256k1: { p: 2n ** 256n - 2n ** 32n - 977n, a: 0n, b: 7n },
}

/** x³ + a x + b modulo p: the required y². */
export function ySquared(curve: EncryptionCurve, x: bigint): bigint {
  const { p, a, b } = equations[curve]
  return (((x * x * x + a * x + b) % p) + p) % p
}

/** Whether bytes encode a point, compressed or not; infinity does not count. */
export function isPoint(curve: EncryptionCurve, bytes: Uint8Array): boolean {
  const { p } = equations[curve]
  const [prefix = 0] = bytes
  const isCompressed = bytes.length === 33 && (prefix === 2 || prefix === 3)
  if (!isCompressed && !(bytes.length === 65 && prefix === 4)) return false
  const x = toNumber(bytes.subarray(1, 33))
  if (x >= p) return false
  if (isCompressed) return isSquare(ySquared(curve, x), p)
  const y = toNumber(bytes.subarray(33))
  return y < p && (y * y) % p === ySquared(curve, x)
}

/** Euler's criterion; no point of the two curves has y = 0. */
export function isSquare(value: bigint, p: bigint): boolean {
  return power(value, (p - 1n) / 2n, p) === 1n
}

export function power(base: bigint, exponent: bigint, p: bigint): bigint {
  let result = 1n
  for (let rest = exponent, square = base; rest > 0n; rest >>= 1n) {
    if (rest & 1n) result = (result * square) % p
    square = (square * square) % p
  }
  return result
}

export const compressed = (prefix: number, x: bigint) => Uint8Array.of(prefix, ...toBytes(x))
export const uncompressed = (x: bigint, y: bigint) => Uint8Array.of(4, ...toBytes(x), ...toBytes(y))

/** A point's encoding, sometimes damaged. */
export function drawEncoding(random: RandomSource, curve: EncryptionCurve): Uint8Array {
  const point = weierstrass[curve].getPublicKey(randomKey(random, curve), random.below(2) === 0)
  const changes: (() => Uint8Array)[] = [
    () => point,
    () => flipBit(point, random.below(8 * point.length)),
    () => point.with(0, random.below(256)),
    () => point.with(0, random.below(8)),
    () => point.subarray(0, random.below(point.length)),
    () => Uint8Array.of(...point, ...random.bytes(1 + random.below(40))),
    () => Uint8Array.of(...point.subarray(0, 33), ...random.word()),
    () => Uint8Array.of(2 + random.below(2), ...random.word()),
    () => Uint8Array.of(2 + random.below(2), ...nearPrime(random, curve)),
    () => Uint8Array.of(4, ...random.word(), ...random.word()),
    () => random.bytes(random.below(70)),
  ]
  return changes[random.below(changes.length)]!()
}

function flipBit(bytes: Uint8Array, bit: number): Uint8Array {
  return bytes.with(bit >> 3, bytes[bit >> 3]! ^ (1 << (bit & 7)))
}

/** An x close to the prime, on either side of it. */
function nearPrime(random: RandomSource, curve: EncryptionCurve): Uint8Array {
  return toBytes(equations[curve].p + BigInt(random.below(1900)) - 950n)
}
