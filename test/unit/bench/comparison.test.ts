import { expect, test } from 'vitest'
import { compare } from '../../bench/comparison.ts'
import { comparisonRows, errorRow, expectNoErrors } from '../../bench/comparison-rows.ts'
import type { BurstFigures, Load } from '../../bench/machine/load.ts'
import type { Server } from '../../bench/servers/server.ts'

const server = (name: string): Server => ({
  name,
  socket: name,
  pid: 0,
  request: '',
  reply: '',
  stop: () => Promise.resolve(),
})
const [ours, slow, fast] = [server('ours'), server('slow'), server('fast')]

const figures = (callsPerSecond: number, cpuUs: number): BurstFigures => ({
  calls: 10,
  errors: 0,
  seconds: 1,
  p50Us: 1,
  p99Us: 1,
  callsPerSecond,
  cpuUs,
})

/** A load that notes every burst and gives what is known of the server. */
function notingLoad(known: Record<string, BurstFigures>) {
  const bursts: string[] = []
  const load: Load = ({ name }, { clients, maxCalls }) => {
    bursts.push(`${maxCalls === undefined ? '' : 'warm '}${name} ${clients}`)
    return Promise.resolve(known[name]!)
  }
  return { load, bursts }
}

const options = { rounds: 2, seconds: 1, progress: () => {} }

test('servers take turns in every round, each after a warm-up', async () => {
  const { load, bursts } = notingLoad({ ours: figures(1, 1), slow: figures(1, 1) })
  await compare({ ...options, load, servers: [slow, ours], clients: [1, 16] })
  const round = ['slow 1', 'ours 1', 'slow 16', 'ours 16']
  expect(bursts).toEqual(['warm slow 16', 'warm ours 16', ...round, ...round])
})

test('what else is measured comes once in every round', async () => {
  const { load, bursts } = notingLoad({ ours: figures(1, 1), slow: figures(1, 1) })
  const everyRound = () => {
    bursts.push('else')
    return Promise.resolve()
  }
  await compare({ ...options, load, servers: [slow, ours], clients: [16], everyRound })
  const round = ['slow 16', 'ours 16', 'else']
  expect(bursts).toEqual(['warm slow 16', 'warm ours 16', ...round, ...round])
})

test('the floor is the best one at each figure', async () => {
  const known = { ours: figures(90, 12), slow: figures(80, 10), fast: figures(100, 11) }
  const { load } = notingLoad(known)
  const servers = [slow, fast, ours]
  const comparison = await compare({ ...options, load, servers, clients: [16] })
  const rows = comparisonRows(comparison, { server: ours, floors: [slow, fast] }, [
    { name: 'speed', unit: 'calls/s', clients: 16, figure: 'callsPerSecond' },
    { name: 'cost', unit: 'µs', clients: 16, figure: 'cpuUs' },
  ])
  expect(rows).toEqual([
    { name: 'speed', unit: 'calls/s', values: [90, 90], floors: [100, 100] },
    { name: 'cost', unit: 'µs', values: [12, 12], floors: [10, 10] },
  ])
})

test('wrong replies are counted, and a floor must have none', async () => {
  const wrong = { ...figures(90, 12), errors: 3 }
  const { load } = notingLoad({ ours: wrong, slow: figures(1, 1) })
  const comparison = await compare({ ...options, load, servers: [slow, ours], clients: [16] })
  expect(errorRow(comparison, ours).values).toEqual([6])
  expect(() => expectNoErrors(comparison, [slow])).not.toThrow()
  expect(() => expectNoErrors(comparison, [slow, ours])).toThrow('ours gave 6 wrong')
})
