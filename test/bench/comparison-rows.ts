/**
 * A comparison → what a group measured.
 * @module
 */
import type { Comparison } from './comparison.ts'
import type { Measured, Target } from './row.ts'
import type { Server } from './servers/server.ts'
import { median } from './statistics.ts'

/** One figure of the bursts with a number of clients. */
export interface Line {
  name: string
  unit: string
  clients: number
  figure: 'callsPerSecond' | 'p50Us' | 'p99Us' | 'cpuUs'
  target?: Target
}

export interface Sides {
  server: Server
  /** Each line's floor is the one of these that is best at it. */
  floors: readonly Server[]
}

/** A server's lines beside the floor's. */
export function comparisonRows(
  comparison: Comparison,
  { server, floors }: Sides,
  lines: readonly Line[],
): Measured[] {
  return lines.map((line) => {
    const { name, unit, target } = line
    const figures = (of: Server) =>
      comparison.bursts(of, line.clients).map((burst) => burst[line.figure])
    return {
      name,
      unit,
      values: figures(server),
      floors: best(line.figure, floors.map(figures)),
      ...(target && { target }),
    }
  })
}

/** Calls should be many, times short. */
function best(figure: Line['figure'], candidates: readonly (readonly number[])[]) {
  const sign = figure === 'callsPerSecond' ? -1 : 1
  return candidates.toSorted((a, b) => sign * (median(a) - median(b)))[0] ?? []
}

/** Fast and wrong is no success. */
export function errorRow(comparison: Comparison, server: Server): Measured {
  const target = { of: 'value', atMost: 0 } as const
  const name = 'wrong or missing replies'
  return { name, unit: 'calls', values: [comparison.errors(server)], target }
}

/** A floor that gave wrong replies is none. @throws Error */
export function expectNoErrors(comparison: Comparison, servers: readonly Server[]): void {
  const wrong = servers.find((server) => comparison.errors(server) > 0)
  if (wrong)
    throw new Error(`${wrong.name} gave ${comparison.errors(wrong)} wrong or missing replies`)
}
