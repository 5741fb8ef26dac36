/**
 * Measures servers in turn, A B C D A B C D, so that other load on the machine hits all alike.
 * @module
 */
import type { BenchContext } from './group.ts'
import type { BurstFigures, Load } from './machine/load.ts'
import type { Server } from './servers/server.ts'

/** The results of a comparison. */
export interface Comparison {
  /** The figures of each round. */
  bursts(server: Server, clients: number): readonly BurstFigures[]
  /** Number of wrong and missing replies over all bursts. */
  errors(server: Server): number
}

export interface CompareOptions extends Pick<BenchContext, 'rounds' | 'seconds' | 'progress'> {
  load: Load
  servers: readonly Server[]
  /** Numbers of concurrent clients. */
  clients: readonly number[]
  /** A further measurement in every round. */
  everyRound?: () => Promise<void>
}

interface Result {
  server: Server
  clients: number
  figures: BurstFigures
}

// Enough for compilers to have seen everything and heaps to have grown.
const warmUp = { clients: 16, seconds: 30, maxCalls: 30_000 }

export async function compare(options: CompareOptions): Promise<Comparison> {
  const { load, servers, rounds, progress, everyRound } = options
  for (const server of servers) {
    progress(`warming up ${server.name}`)
    await load(server, warmUp)
  }
  const results: Result[] = []
  for (let round = 1; round <= rounds; round++) {
    progress(`round ${round} of ${rounds}`)
    results.push(...(await compareOnce(options)))
    await everyRound?.()
  }
  const of = (server: Server) => results.filter((result) => result.server === server)
  return {
    bursts: (server, clients) =>
      of(server)
        .filter((result) => result.clients === clients)
        .map(({ figures }) => figures),
    errors: (server) => of(server).reduce((sum, { figures }) => sum + figures.errors, 0),
  }
}

async function compareOnce({ load, servers, clients, seconds }: CompareOptions): Promise<Result[]> {
  const results: Result[] = []
  for (const count of clients) {
    for (const server of servers) {
      const figures = await load(server, { clients: count, seconds })
      results.push({ server, clients: count, figures })
    }
  }
  return results
}
