import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { IsolatedNetwork } from '../../../../runtime/src/job-network/isolated/isolated-network.ts'
import { createResting, createSpares } from '../../../../runtime/src/job-network/network-pool.ts'

beforeEach(() => void vi.useFakeTimers())
afterEach(() => void vi.useRealTimers())

let made = 0
const closed: number[] = []
beforeEach(() => {
  made = 0
  closed.length = 0
})

type Fake = IsolatedNetwork & { number: number }

function makeNetwork(renew: () => Promise<void> = async () => {}): Fake {
  const number = ++made
  const close = async () => void closed.push(number)
  return { number, renew, close } as Fake
}

const make = async () => makeNetwork()
const numberOf = (network: IsolatedNetwork | undefined) => (network as Fake | undefined)?.number

describe('the one that is ready', () => {
  test('is taken first, then others are made', async () => {
    const spares = createSpares(makeNetwork(), make)
    expect(numberOf(await spares.take())).toBe(1)
    expect(numberOf(await spares.take())).toBe(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(made).toBe(2)
  })

  test('is made anew some time after it was taken, where that is wanted', async () => {
    const spares = createSpares(makeNetwork(), make)
    spares.keep()
    await spares.take()
    expect(made).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(made).toBe(2)
    expect(numberOf(await spares.take())).toBe(2)
  })

  test('that cannot be made is no failure before somebody needs it', async () => {
    const spares = createSpares(makeNetwork(), () => Promise.reject(new Error('no room')))
    spares.keep()
    await spares.take()
    await vi.advanceTimersByTimeAsync(1000)
    await expect(spares.take()).rejects.toThrow('no room')
  })

  test('is closed in the end, also one that was being made', async () => {
    let finish = (_network: IsolatedNetwork) => {}
    const slow = () => new Promise<IsolatedNetwork>((resolve) => (finish = resolve))
    const spares = createSpares(makeNetwork(), slow)
    spares.keep()
    await spares.take()
    await vi.advanceTimersByTimeAsync(1000)
    const closing = spares.close()
    finish(makeNetwork())
    await closing
    expect(closed).toEqual([2])
    await createSpares(makeNetwork(), make).close()
    expect(closed).toEqual([2, 3])
  })
})

describe('those that rest', () => {
  const longest = 3000

  test('are of their deployment only', async () => {
    const resting = createResting<Fake>(longest)
    await resting.rest('one', makeNetwork())
    expect(await resting.wake('other')).toBeUndefined()
    expect(numberOf(await resting.wake('one'))).toBe(1)
    expect(await resting.wake('one')).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2 * longest)
    expect(closed).toEqual([])
  })

  test('go after a while', async () => {
    const resting = createResting<Fake>(longest)
    await resting.rest('one', makeNetwork())
    await vi.advanceTimersByTimeAsync(longest - 1)
    expect(closed).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(closed).toEqual([1])
    expect(await resting.wake('one')).toBeUndefined()
  })

  test('are used again only once they are renewed', async () => {
    let renewed = () => {}
    const network = makeNetwork(() => new Promise((resolve) => (renewed = resolve)))
    const resting = createResting<Fake>(longest)
    void resting.rest('one', network)
    let woken: Fake | undefined
    const waking = resting.wake('one').then((found) => (woken = found))
    await vi.advanceTimersByTimeAsync(10)
    expect(woken).toBeUndefined()
    renewed()
    await waking
    expect(numberOf(woken)).toBe(1)
  })

  test('that cannot be renewed go at once, also when they are woken before that is known', async () => {
    const fail = () => Promise.reject(new Error('gone'))
    const resting = createResting<Fake>(longest)
    await resting.rest('one', makeNetwork(fail))
    expect(closed).toEqual([1])
    void resting.rest('two', makeNetwork(fail))
    expect(await resting.wake('two')).toBeUndefined()
    expect(closed).toEqual([1, 2])
  })

  test('are one for each deployment', async () => {
    const resting = createResting<Fake>(longest)
    await resting.rest('one', makeNetwork())
    await resting.rest('one', makeNetwork())
    expect(closed).toEqual([2])
  })

  test('end with the pool, and none rests afterwards', async () => {
    const resting = createResting<Fake>(longest)
    await resting.rest('one', makeNetwork())
    await resting.close()
    expect(closed).toEqual([1])
    await resting.rest('two', makeNetwork())
    expect(closed).toEqual([1, 2])
  })
})
