import { describe, expect, it } from 'vitest'
import { grouped, times } from '../../support/effort.ts'
import { hex } from '../../support/hex.ts'
import { buildInternals } from '../../support/signer-internals.ts'
import { randomSource } from '../../support/signer-random.ts'
import { orders, toBytes, toNumber } from '../../support/signer-reference.ts'
import { digestOf } from '../../vectors/cavp-digest.ts'
import { parseVectors, wordOf } from '../../vectors/debian-vectors.ts'

const order = orders.p256
const randomCount = times({ short: 20_000, long: 200_000 })
const internals = buildInternals()

function inversesOf(numbers: readonly bigint[]): bigint[] {
  const inverses = internals.invert(Buffer.concat(numbers.map(toBytes)))
  return numbers.map((_, index) => toNumber(inverses.subarray(32 * index, 32 * index + 32)))
}

/** The numbers whose inverse is wrong. The order is a prime, so that there is one right inverse. */
function wrongOnes(numbers: readonly bigint[]): bigint[] {
  const inverses = inversesOf(numbers)
  return numbers.filter((number, index) => {
    const inverse = inverses[index]!
    return inverse >= order || (number * inverse) % order !== 1n
  })
}

const upTo = (count: number) => Array.from({ length: count }, (_, index) => BigInt(index))
const isInRange = (number: bigint) => number > 0n && number < order

describe('the inverse modulo P-256’s order', () => {
  const powers = upTo(256).map((exponent) => 2n ** exponent)
  const edges = [0n, order / 2n, order, ...powers, ...powers.map((power) => order - power)]
  it.each([
    { name: '1 to 1,000', numbers: upTo(1001) },
    { name: 'n − 1,000 to n − 1', numbers: upTo(1001).map((number) => order - number) },
    {
      name: 'powers of two and n less them, and half of n, with their neighbours',
      numbers: edges.flatMap((edge) => upTo(21).map((number) => edge + number - 10n)),
    },
    {
      name: 'runs of ones at every place',
      numbers: powers.flatMap((high) => powers.map((low) => high - low)),
    },
  ])('of $name', ({ numbers }) => {
    const inRange = numbers.filter(isInRange)
    expect(inRange.length).toBeGreaterThanOrEqual(1000)
    expect(wrongOnes(inRange)).toEqual([])
  })

  it(`of ${grouped(randomCount)} random numbers`, () => {
    const random = randomSource('inverse')
    const numbers = Array.from({ length: randomCount }, () => toNumber(random.word()) % order)
    expect(wrongOnes(numbers.filter(isInRange))).toEqual([])
  })

  it('is its own inverse’s inverse', () => {
    const random = randomSource('inverse twice')
    const numbers = Array.from({ length: 1000 }, () => toNumber(random.bytes(32)) % order)
    expect(inversesOf(inversesOf(numbers))).toEqual(numbers)
  })
})

it('gives NIST’s 75 signatures from their nonces: s = k⁻¹ (z + r d)', () => {
  const vectors = parseVectors('asymmetric/ECDSA/FIPS_186-3/SigGen.txt').filter(({ section }) =>
    section.startsWith('[P-256,'),
  )
  const numbersOf = (name: string) => vectors.map((vector) => toNumber(wordOf(vector, name)))
  const [d, r] = [numbersOf('d'), numbersOf('R')]
  const found = inversesOf(numbersOf('k')).map((inverse, index) => {
    const z = toNumber(digestOf(vectors[index]!))
    return hex(toBytes((inverse * (z + r[index]! * d[index]!)) % order))
  })
  expect(found).toEqual(vectors.map((vector) => hex(wordOf(vector, 'S'))))
  expect(found).toHaveLength(75)
})
