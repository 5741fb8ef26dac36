/**
 * The C servers that are our floors.
 * @module
 */
import type { BenchContext } from '../group.ts'
import { compile } from '../machine/programs.ts'
import { startUnasked } from './others.ts'
import type { Server } from './server.ts'

// Neither value is faster for every number of clients; the faster one is the floor.
const connectionsAhead = [1, 8]

/** They give the same reply as ours. The job must be the first caller of the one with admission. */
export async function startFloors(
  context: BenchContext,
  program: 'floor' | 'admission-floor',
  reply: string,
): Promise<Server[]> {
  const command = [...context.placement.server, await compile(program, context)]
  const started = connectionsAhead.map((ahead) =>
    startUnasked({ ...context, name: `C ${ahead} ahead`, command, extra: [String(ahead)], reply }),
  )
  return Promise.all(started)
}
