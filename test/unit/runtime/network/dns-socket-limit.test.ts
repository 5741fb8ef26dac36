import { setMaxListeners } from 'node:events'
import { expect, it } from 'vitest'
import { createSocketLimit } from '../../../../service/src/dns/socket-limit.ts'
import { thrownBy } from '../../../support/thrown.ts'

function aPurpose(): AbortSignal {
  const { signal } = new AbortController()
  setMaxListeners(0, signal)
  return signal
}

/** Runs that end when the test ends them. */
function startRuns(most: number) {
  const limited = createSocketLimit(most)
  const started: string[] = []
  const ends = new Map<string, () => void>()
  const run = (name: string, signal = aPurpose()) =>
    limited(signal, () => {
      started.push(name)
      return new Promise<void>((resolve) => ends.set(name, resolve))
    })
  const end = async (...names: string[]) => {
    for (const name of names) {
      ends.get(name)?.()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  /** A purpose with `count` runs. */
  const purpose = (name: string, count: number) => {
    const signal = aPurpose()
    return numbered(name, count).map((one) => run(one, signal))
  }
  return { run, end, started, purpose }
}

const numbered = (name: string, count: number) =>
  Array.from({ length: count }, (_, at) => `${name}${at + 1}`)

it('as many run as allowed, the others follow in their order', async () => {
  const { run, end, started } = startRuns(2)
  const all = ['a', 'b', 'c', 'd'].map((name) => run(name))
  expect(started).toEqual(['a', 'b'])
  await end('b')
  expect(started).toEqual(['a', 'b', 'c'])
  await end('a')
  expect(started).toEqual(['a', 'b', 'c', 'd'])
  await end('c', 'd')
  await Promise.all(all)
})

it('many purposes that nobody answers leave a place for the next', async () => {
  const { end, started, purpose } = startRuns(256)
  const slow = numbered('slow', 24).flatMap((name) => purpose(`${name} `, 16))
  const taken = [...started]
  expect(taken.filter((name) => name.startsWith('slow1 '))).toHaveLength(16)
  expect(taken.filter((name) => name.startsWith('slow24 '))).not.toEqual([])
  const quick = purpose('quick', 1)
  expect(started.at(-1)).toBe('quick1')
  await end('quick1')
  await Promise.all(quick)
  for (let at = 0; at < started.length; at++) await end(started[at]!)
  await Promise.all(slow)
  expect(started).toHaveLength(slow.length + 1)
})

it('the purpose with the fewest running goes first, however many others wait', async () => {
  const { end, started, purpose } = startRuns(3)
  const all = [...purpose('a', 4), ...purpose('b', 2), ...purpose('c', 1), ...purpose('d', 1)]
  expect(started).toEqual(['a1', 'b1', 'c1'])
  await end('c1')
  expect(started.slice(3)).toEqual(['d1'])
  await end('b1', 'd1')
  expect(started.slice(4)).toEqual(['b2'])
  await end('a1', 'b2', 'a2', 'a3', 'a4')
  expect(started.slice(5)).toEqual(['a2', 'a3', 'a4'])
  await Promise.all(all)
})

it('purposes with equally many running take turns', async () => {
  const { end, started, purpose } = startRuns(1)
  const all = [...purpose('a', 3), ...purpose('b', 2)]
  await end('a1', 'a2', 'b1', 'a3', 'b2')
  expect(started).toEqual(['a1', 'a2', 'b1', 'a3', 'b2'])
  await Promise.all(all)
})

it('a run that is aborted while waiting takes no place', async () => {
  const { run, end, started } = startRuns(1)
  const controller = new AbortController()
  const first = run('a')
  const second = thrownBy(() => run('b', controller.signal))
  const third = run('c')
  controller.abort(new Error('late'))
  await end('a')
  expect(await second).toEqual(new Error('late'))
  expect(started).toEqual(['a', 'c'])
  await end('c')
  await Promise.all([first, third])
  expect(await thrownBy(() => run('d', controller.signal))).toEqual(new Error('late'))
  expect(started).toEqual(['a', 'c'])
})

it('a run that fails frees its place', async () => {
  const limited = createSocketLimit(1)
  const fail = () => limited(aPurpose(), () => Promise.reject(new Error('broken')))
  expect(await thrownBy(fail)).toEqual(new Error('broken'))
  expect(await limited(aPurpose(), () => Promise.resolve(7))).toBe(7)
})
