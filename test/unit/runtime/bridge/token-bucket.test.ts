import fc from 'fast-check'
import { expect, test } from 'vitest'
import { createTokenBucket } from '../../../../runtime/src/bridge/limits/token-bucket.ts'

/** A bucket with a clock that only the test moves. */
function bucketAt(perSecond: number, burst: number) {
  const clock = { now: 5_000 }
  return { clock, take: createTokenBucket({ perSecond, burst }, () => clock.now) }
}

test('allows a burst at once, then one call per interval', () => {
  const { clock, take } = bucketAt(100, 3)
  expect([take(), take(), take(), take()]).toEqual([0, 0, 0, 10])
  clock.now += 4
  expect(take()).toBe(6)
  clock.now += 6
  expect([take(), take()]).toEqual([0, 10])
})

test('a long pause refills it only to the burst', () => {
  const { clock, take } = bucketAt(1000, 2)
  clock.now += 3_600_000
  expect([take(), take(), take()]).toEqual([0, 0, 1])
})

test('without a rate it never refuses', () => {
  const { take } = bucketAt(Infinity, Infinity)
  expect(Array.from({ length: 1000 }, take).every((wait) => wait === 0)).toBe(true)
})

test('never allows more than burst + rate × time, and the returned wait is long enough', () => {
  const waits = fc.array(fc.integer({ min: 0, max: 300 }), { maxLength: 200 })
  const rate = fc.integer({ min: 1, max: 5000 })
  fc.assert(
    fc.property(rate, fc.integer({ min: 1, max: 50 }), waits, (perSecond, burst, pauses) => {
      const { clock, take } = bucketAt(perSecond, burst)
      const start = clock.now
      const waited: number[] = []
      let taken = 0
      for (const pause of pauses) {
        clock.now += pause
        const wait = take()
        clock.now += wait
        if (wait > 0) waited.push(take())
        taken++
      }
      expect(waited.every((wait) => wait === 0)).toBe(true)
      expect(taken).toBeLessThanOrEqual(burst + ((clock.now - start) * perSecond) / 1000 + 1e-6)
    }),
  )
})
