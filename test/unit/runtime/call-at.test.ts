import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import { callAt } from '../../../runtime/src/execution/contract/call-at.ts'

describe('a call at a time of the clock', () => {
  beforeEach(() => vi.useFakeTimers())
  afterEach(() => vi.useRealTimers())
  const call = vi.fn()
  afterEach(() => call.mockReset())

  test('comes then, once, and not before', () => {
    callAt(Date.now() + 1_000, call)
    vi.advanceTimersByTime(999)
    expect(call).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(call).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1_000_000)
    expect(call).toHaveBeenCalledTimes(1)
  })

  test('comes at once for a time that is past', () => {
    callAt(Date.now(), call)
    callAt(0, call)
    expect(call).toHaveBeenCalledTimes(2)
  })

  test('comes after longer than a timer can wait', () => {
    const days = 60 * 24 * 60 * 60 * 1000
    callAt(Date.now() + days, call)
    vi.advanceTimersByTime(days - 1)
    expect(call).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1)
    expect(call).toHaveBeenCalledTimes(1)
  })

  test('follows the clock when it is set, or the host slept', () => {
    const time = Date.now() + 60 * 60 * 1000
    callAt(time, call)
    vi.setSystemTime(time + 1)
    expect(call).not.toHaveBeenCalled()
    vi.advanceTimersByTime(60_000)
    expect(call).toHaveBeenCalledTimes(1)
    const later = Date.now() + 1_000
    callAt(later, call)
    vi.setSystemTime(later - 120_000)
    vi.advanceTimersByTime(119_999)
    expect(call).toHaveBeenCalledTimes(1)
    vi.advanceTimersByTime(1)
    expect(call).toHaveBeenCalledTimes(2)
  })

  test('never comes without a time, or after it was called off', () => {
    callAt(undefined, call)
    callAt(Date.now() + 1_000, call).cancel()
    expect(vi.getTimerCount()).toBe(0)
    vi.advanceTimersByTime(100_000)
    expect(call).not.toHaveBeenCalled()
  })
})
