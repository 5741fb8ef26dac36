/**
 * The C servers that ours is measured by.
 * @module
 */
import type { BenchContext } from '../group.ts'
import { compile } from '../machine/programs.ts'
import { startUnasked } from './others.ts'
import type { Server } from './server.ts'

// Neither is the faster one for every number of clients; the floor is whichever is.
const connectionsAhead = [1, 8]

/** They give the same reply as ours. The one with admission must be called by the job first. */
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
