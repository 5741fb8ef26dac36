import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { IsolatedNetwork } from '../../../../runtime/src/job-network/isolated/isolated-network.ts'
import { createParking, createSpares } from '../../../../runtime/src/job-network/network-pool.ts'

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

describe('a spare network', () => {
  test('is taken first; the next networks are made when asked for', async () => {
    const spares = createSpares(makeNetwork(), make)
    expect(numberOf(await spares.take())).toBe(1)
    expect(numberOf(await spares.take())).toBe(2)
    await vi.advanceTimersByTimeAsync(10_000)
    expect(made).toBe(2)
  })

  test('is replaced some time after it was taken, if one is kept', async () => {
    const spares = createSpares(makeNetwork(), make)
    spares.keep()
    await spares.take()
    expect(made).toBe(1)
    await vi.advanceTimersByTimeAsync(1000)
    expect(made).toBe(2)
    expect(numberOf(await spares.take())).toBe(2)
  })

  test('that cannot be made fails only the job that needs it', async () => {
    const spares = createSpares(makeNetwork(), () => Promise.reject(new Error('no room')))
    spares.keep()
    await spares.take()
    await vi.advanceTimersByTimeAsync(1000)
    await expect(spares.take()).rejects.toThrow('no room')
  })

  test('is closed with the pool, also while it is being made', async () => {
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

describe('parked networks', () => {
  const longest = 3000

  test('are used by their own deployment only', async () => {
    const parking = createParking<Fake>(longest)
    await parking.park('one', makeNetwork())
    expect(await parking.unpark('other')).toBeUndefined()
    expect(numberOf(await parking.unpark('one'))).toBe(1)
    expect(await parking.unpark('one')).toBeUndefined()
    await vi.advanceTimersByTimeAsync(2 * longest)
    expect(closed).toEqual([])
  })

  test('are closed after a while', async () => {
    const parking = createParking<Fake>(longest)
    await parking.park('one', makeNetwork())
    await vi.advanceTimersByTimeAsync(longest - 1)
    expect(closed).toEqual([])
    await vi.advanceTimersByTimeAsync(1)
    expect(closed).toEqual([1])
    expect(await parking.unpark('one')).toBeUndefined()
  })

  test('are used again only when they are renewed', async () => {
    let renewed = () => {}
    const network = makeNetwork(() => new Promise((resolve) => (renewed = resolve)))
    const parking = createParking<Fake>(longest)
    void parking.park('one', network)
    let found: Fake | undefined
    const unparking = parking.unpark('one').then((network) => (found = network))
    await vi.advanceTimersByTimeAsync(10)
    expect(found).toBeUndefined()
    renewed()
    await unparking
    expect(numberOf(found)).toBe(1)
  })

  test('that cannot be renewed are closed at once, even after they were unparked', async () => {
    const fail = () => Promise.reject(new Error('gone'))
    const parking = createParking<Fake>(longest)
    await parking.park('one', makeNetwork(fail))
    expect(closed).toEqual([1])
    void parking.park('two', makeNetwork(fail))
    expect(await parking.unpark('two')).toBeUndefined()
    expect(closed).toEqual([1, 2])
  })

  test('are one for each deployment', async () => {
    const parking = createParking<Fake>(longest)
    await parking.park('one', makeNetwork())
    await parking.park('one', makeNetwork())
    expect(closed).toEqual([2])
  })

  test('are closed with the pool, which parks no others afterwards', async () => {
    const parking = createParking<Fake>(longest)
    await parking.park('one', makeNetwork())
    await parking.close()
    expect(closed).toEqual([1])
    await parking.park('two', makeNetwork())
    expect(closed).toEqual([1, 2])
  })
})
