import { describe, expect, test } from 'vitest'
import { median, ratios, spread } from '../../bench/statistics.ts'

describe('median', () => {
  test.each([
    [[3], 3],
    [[9, 1, 5], 5],
    [[4, 1, 3, 2], 2.5],
    [[10, 9, 100], 10],
  ])('of %j is %d', (values, expected) => {
    expect(median(values)).toBe(expected)
  })

  test('of nothing is an error', () => {
    expect(() => median([])).toThrow(RangeError)
  })

  test('leaves the values as they are', () => {
    const values = [3, 1, 2]
    median(values)
    expect(values).toEqual([3, 1, 2])
  })
})

test('spread says how far the rounds lie apart', () => {
  expect(spread([5, 1, 9])).toEqual({ median: 5, min: 1, max: 9 })
})

describe('ratios', () => {
  test('are taken round by round', () => {
    // The ratio of the medians would be 1.
    expect(ratios([10, 20, 30], [20, 10, 30])).toEqual({ median: 1, min: 0.5, max: 2 })
    expect(ratios([10, 20, 30], [30, 10, 20])).toEqual({ median: 1.5, min: 1 / 3, max: 2 })
  })

  test('need as many floors as values', () => {
    expect(() => ratios([1, 2], [1])).toThrow('as many floors as values')
  })
})
