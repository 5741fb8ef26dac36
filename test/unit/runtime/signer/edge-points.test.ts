/**
 * Public keys of peers: valid points, near misses, and encodings that would reveal a key if they
 * were accepted as points.
 */
import { describe, expect, it } from 'vitest'
import { encryptionCurves, type EncryptionCurve } from '@causeway/guest-sdk/protocol'
import { slots, type SignerBackend } from '../../../../runtime/src/signer/backend.ts'
import { grouped, times } from '../../../support/effort.ts'
import { hex } from '../../../support/hex.ts'
import { backends, native, openKeys, portable } from '../../../support/signer-backends.ts'
import {
  compressed,
  drawEncoding,
  equations,
  isPoint,
  isSquare,
  power,
  uncompressed,
  ySquared,
} from '../../../support/signer-points.ts'
import { checkEach } from '../../../support/signer-random.ts'
import { orders, toBytes, toNumber, weierstrass } from '../../../support/signer-reference.ts'

const encodingCount = times({ short: 500, long: 10_000 })

const ownKey = toBytes(0x1234567890abcdefn)
const salt = new Uint8Array()
const text = Buffer.from('text')

function openOwn(backend: SignerBackend, curve: EncryptionCurve) {
  return openKeys(backend, { signing: {}, encryption: { [curve]: ownKey } })
}

const keysOf = (curve: EncryptionCurve) => backends.map((backend) => openOwn(backend, curve))

/** `taken` or the refusal, from each backend, when encrypting and when decrypting. */
function outcomes(curve: EncryptionCurve, peerPublicKey: Uint8Array, opened = keysOf(curve)) {
  const slot = slots.encryption[curve]
  return opened.flatMap((keys) => {
    const sealed = keys.encrypt(slot, { peerPublicKey, salt }, text)
    const unsealed = keys.decrypt(slot, { peerPublicKey, salt }, new Uint8Array(28))
    return [typeof sealed === 'string' ? sealed : 'taken', unsealed]
  })
}

const takenByAll = ['taken', 'DECRYPT_FAILED', 'taken', 'DECRYPT_FAILED']
const refusedByAll = Array.from({ length: 4 }, () => 'BAD_PUBLIC_KEY')

/** The first x from `start` that satisfies the condition. */
function firstX(start: bigint, holds: (x: bigint) => boolean): bigint {
  let x = start
  while (!holds(x)) x++
  return x
}

describe.each(encryptionCurves)('%s', (curve) => {
  const { p, b } = equations[curve]
  const { Point, getPublicKey } = weierstrass[curve]
  const { x, y } = Point.BASE.toAffine()
  const own = Point.fromBytes(getPublicKey(ownKey)).toAffine()
  const isOn = (candidate: bigint) => isSquare(ySquared(curve, candidate), p)
  const onCurve = firstX(1n, isOn)
  const onTwist = firstX(1n, (candidate) => !isOn(candidate))

  describe('takes', () => {
    it.each([
      { name: 'the generator', key: uncompressed(x, y) },
      { name: 'the generator, compressed', key: compressed(y & 1n ? 3 : 2, x) },
      { name: 'the generator’s opposite', key: uncompressed(x, p - y) },
      { name: 'the generator’s opposite, compressed', key: compressed(y & 1n ? 2 : 3, x) },
      { name: 'one’s own key', key: uncompressed(own.x, own.y) },
      { name: 'the opposite of one’s own key', key: uncompressed(own.x, p - own.y) },
      { name: 'the smallest x, even y', key: compressed(2, onCurve) },
      { name: 'the smallest x, odd y', key: compressed(3, onCurve) },
      { name: 'the point of n − 1', key: getPublicKey(toBytes(orders[curve] - 1n)) },
    ])('$name, and both backends agree', ({ key }) => {
      expect(isPoint(curve, key)).toBe(true)
      expect(outcomes(curve, key)).toEqual(takenByAll)
      const slot = slots.encryption[curve]
      const sealed = openOwn(native, curve).encrypt(slot, { peerPublicKey: key, salt }, text)
      const agreement = { peerPublicKey: key, salt }
      const opened = openOwn(portable, curve).decrypt(slot, agreement, Buffer.from(sealed))
      expect(String(opened)).toBe('text')
    })
  })

  const other = curve === 'p256' ? 'secp256k1' : 'p256'
  // On a curve this point would have order two: the answer would reveal whether the key is even.
  const orderTwo = uncompressed(5n, 0n)
  describe('refuses', () => {
    it.each([
      { name: 'infinity', key: Uint8Array.of(0) },
      { name: 'infinity in 33 bytes', key: new Uint8Array(33) },
      { name: 'infinity in 65 bytes', key: new Uint8Array(65) },
      { name: 'x and y zero', key: uncompressed(0n, 0n) },
      { name: 'y zero', key: orderTwo },
      { name: 'y off by one', key: uncompressed(x, y + 1n) },
      { name: 'x and y exchanged', key: uncompressed(y, x) },
      { name: 'the other curve’s generator', key: weierstrass[other].Point.BASE.toBytes(false) },
      { name: 'a point of the curve with another b', key: uncompressed(0n, power(b, 2n, p)) },
      { name: 'an x of the twist, even', key: compressed(2, onTwist) },
      { name: 'an x of the twist, odd', key: compressed(3, onTwist) },
      { name: 'x = p', key: compressed(2, p) },
      { name: 'x = 2^256 − 1', key: compressed(2, 2n ** 256n - 1n) },
      { name: 'a point’s x, and p more', key: compressed(2, onCurve + p) },
      { name: 'y = p', key: uncompressed(x, p) },
      { name: 'hybrid, even', key: uncompressed(x, y).with(0, 6) },
      { name: 'hybrid, odd', key: uncompressed(x, y).with(0, 7) },
      { name: 'hybrid in 33 bytes', key: compressed(6, x) },
      { name: 'a compressed point in 65 bytes', key: uncompressed(x, y).with(0, 2) },
      { name: 'an uncompressed one in 33', key: compressed(4, x) },
    ])('$name', ({ key }) => {
      expect(isPoint(curve, key)).toBe(false)
      expect(outcomes(curve, key)).toEqual(refusedByAll)
    })

    it('every other prefix, in 33 and in 65 bytes', () => {
      const opened = keysOf(curve)
      const isTaken = (key: Uint8Array) => outcomes(curve, key, opened).includes('taken')
      const prefixes = Array.from({ length: 256 }, (_, prefix) => prefix)
      expect(prefixes.filter((prefix) => isTaken(compressed(prefix, x)))).toEqual([2, 3])
      expect(prefixes.filter((prefix) => isTaken(uncompressed(x, y).with(0, prefix)))).toEqual([4])
    })

    it.each([2, 3, 4])('every other length, with prefix %i', (prefix) => {
      const opened = keysOf(curve)
      const bytes = Uint8Array.of(...uncompressed(x, y), ...new Uint8Array(5)).with(0, prefix)
      const lengths = Array.from({ length: bytes.length + 1 }, (_, length) => length)
      const taken = lengths.filter((length) =>
        outcomes(curve, bytes.subarray(0, length), opened).includes('taken'),
      )
      expect(taken).toEqual(prefix === 4 ? [65] : [33])
    })
  })

  it(`${grouped(encodingCount)} random and changed encodings: what is a point is taken by both, and nothing else`, async () => {
    const opened = keysOf(curve)
    const seen = { taken: 0, refused: 0 }
    const checked = await checkEach(`encodings ${curve}`, encodingCount, (random) => {
      const encoding = drawEncoding(random, curve)
      const isTaken = isPoint(curve, encoding)
      seen[isTaken ? 'taken' : 'refused']++
      const found = outcomes(curve, encoding, opened).join()
      if (found !== (isTaken ? takenByAll : refusedByAll).join()) {
        throw new Error(`${hex(encoding)}: found ${found}`)
      }
      return 1
    })
    expect(checked).toBe(encodingCount)
    expect(Math.min(seen.taken, seen.refused)).toBeGreaterThan(encodingCount / 10)
  }, 600_000)
})

it('a point of secp256k1 whose y is encoded as y + p is refused', () => {
  const { p, b } = equations.secp256k1
  // p is 7 modulo 9, so this is a cube root of every number that has one.
  const rootOf = (value: bigint) => power(value, (p + 2n) / 9n, p)
  const y = firstX(1n, (candidate) => {
    const cube = (candidate * candidate - b + p) % p
    return power(rootOf(cube), 3n, p) === cube
  })
  const x = rootOf((y * y - b + p) % p)
  expect(outcomes('secp256k1', uncompressed(x, y))).toEqual(takenByAll)
  expect(outcomes('secp256k1', uncompressed(x, y + p))).toEqual(refusedByAll)
  expect(toNumber(uncompressed(x, y + p).subarray(33))).toBeLessThan(2n ** 256n)
})
