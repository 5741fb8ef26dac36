import { expect, test } from 'vitest'
import { withSignature } from '../../bench/groups/signer.ts'

test('the floor of a signature is a call and then a signature', () => {
  const signsPerSecond = [50_000, 100_000]
  const speed = { name: 'speed', unit: 'calls/s', values: [1, 2], floors: [100_000, 100_000] }
  expect(withSignature(speed, signsPerSecond)).toEqual({
    ...speed,
    floors: [expect.closeTo(33_333.3, 0), expect.closeTo(50_000, 0)],
  })
  const time = { name: 'time', unit: 'µs', values: [1, 2], floors: [10, 11] }
  expect(withSignature(time, signsPerSecond)).toEqual({ ...time, floors: [30, 21] })
})
