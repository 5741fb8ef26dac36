/**
 * Turns a comparison into a group's measured rows.
 * @module
 */
import type { Comparison } from './comparison.ts'
import type { Measured, Target } from './row.ts'
import type { Server } from './servers/server.ts'
import { median } from './statistics.ts'

/** One figure of the bursts with a given number of clients. */
export interface Line {
  name: string
  unit: string
  clients: number
  figure: 'callsPerSecond' | 'p50Us' | 'p99Us' | 'cpuUs'
  target?: Target
}

export interface Sides {
  server: Server
  /** The best of these servers at a line is the line's floor. */
  floors: readonly Server[]
}

/** The lines of a server beside those of the floor. */
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

/** Call rates should be high, times short. */
function best(figure: Line['figure'], candidates: readonly (readonly number[])[]) {
  const sign = figure === 'callsPerSecond' ? -1 : 1
  return candidates.toSorted((a, b) => sign * (median(a) - median(b)))[0] ?? []
}

/** A fast server with wrong replies must not pass. */
export function errorRow(comparison: Comparison, server: Server): Measured {
  const target = { of: 'value', atMost: 0 } as const
  const name = 'wrong or missing replies'
  return { name, unit: 'calls', values: [comparison.errors(server)], target }
}

/** A server with wrong replies cannot be a floor. @throws Error */
export function expectNoErrors(comparison: Comparison, servers: readonly Server[]): void {
  const wrong = servers.find((server) => comparison.errors(server) > 0)
  if (wrong)
    throw new Error(`${wrong.name} gave ${comparison.errors(wrong)} wrong or missing replies`)
}
