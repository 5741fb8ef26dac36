/**
 * Prints the times of verifications and of queries by c-ares as a line of JSON; a process of its
 * own, so that it can be pinned to a core. Arguments: the server's port, rounds, seconds of a
 * burst.
 * @module
 */
import { Resolver } from 'node:dns/promises'
import { createVerifier } from '../../../runtime/src/network/verify/verify-host.ts'
import { median } from '../statistics.ts'
import { addresses, host, source } from './zones.ts'

/** The figures of one round. */
export interface VerificationFigures {
  /** Median of a verification, one at a time, µs. */
  oneUs: number
  /** Median of one query by c-ares, taken in turn with it, µs. */
  queryUs: number
  /** Verifications per second, many at once. */
  perSecond: number
  /** Queries by c-ares per second, as many at once. */
  queriesPerSecond: number
  /** CPU time of this process for a verification, many at once, µs. */
  cpuUs: number
}

const [port, rounds, seconds] = process.argv.slice(2).map(Number) as [number, number, number]
const verify = createVerifier({ resolvers: [{ address: '127.0.0.1', port }] })
const byCares = new Resolver()
byCares.setServers([`127.0.0.1:${port}`])
const atOnce = 16
const warmUps = 2

const figures: VerificationFigures[] = []
for (let round = 0; round < rounds + warmUps; round++) {
  const inTurn = await measureInTurn()
  const queries = await measureAtOnce(query)
  figures.push({
    ...inTurn,
    queriesPerSecond: queries.perSecond,
    ...(await measureAtOnce(verifyAll)),
  })
}
process.stdout.write(`${JSON.stringify(figures.slice(warmUps))}\n`)

async function measureInTurn() {
  const [ones, queries]: [number[], number[]] = [[], []]
  const end = performance.now() + seconds * 1000
  while (performance.now() < end) {
    queries.push(await timed(query))
    ones.push(await timed(verifyAll))
  }
  return { oneUs: median(ones), queryUs: median(queries) }
}

async function timed(run: () => Promise<unknown>): Promise<number> {
  const before = performance.now()
  await run()
  return (performance.now() - before) * 1000
}

async function measureAtOnce(work: () => Promise<void>) {
  const [start, cpu] = [performance.now(), process.cpuUsage()]
  let count = 0
  const worker = async () => {
    while (performance.now() < start + seconds * 1000) {
      await work()
      count++
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  const { user, system } = process.cpuUsage(cpu)
  const passedSeconds = (performance.now() - start) / 1000
  return { perSecond: count / passedSeconds, cpuUs: (user + system) / count }
}

async function query(): Promise<void> {
  await byCares.resolveTxt(`_acu.${host}`)
}

/** A fast but wrong verification must fail. */
async function verifyAll(): Promise<void> {
  const { passed } = await verify(host, source)
  if (passed.length !== addresses.length) throw new Error(`${passed.length} addresses passed`)
}
