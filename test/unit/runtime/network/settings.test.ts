import { expect, test } from 'vitest'
import { refillMs } from '../../../../runtime/src/job-network/settings.ts'
import { settings } from '../../../support/shared-networks-process.ts'

const none = {
  ...settings,
  connectionsPerSecond: 10,
  connectionBurst: 10,
  dnsPerSecond: 10,
  dnsBurst: 10,
}

test.for([
  { ...none, connectionBurst: 1000, seconds: 100 },
  { ...none, dnsBurst: 2000, seconds: 200 },
  { ...none, bytesPerSecond: 10_000, byteBurst: 500_000, seconds: 50 },
  { ...none, bytesPerSecond: 10_000, byteBurst: 25_000_000, seconds: 200 },
  { ...none, bytesPerSecond: 0, byteBurst: 25_000_000, seconds: 1 },
])('limits are full again after $seconds s', ({ seconds, ...given }) => {
  expect(refillMs(given)).toBe(1000 * (seconds + 1))
})
