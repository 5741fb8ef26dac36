/**
 * Attacks one deployment and measures another one's calls. Both bridges share a core.
 * @module
 */
import type { BenchContext, Group } from '../group.ts'
import { holdConnections, type HoldOptions } from '../machine/held-connections.ts'
import { createLoad, type BurstFigures } from '../machine/load.ts'
import { compile } from '../machine/programs.ts'
import type { Measured } from '../row.ts'
import { startCauseway } from '../servers/causeway.ts'
import type { Server } from '../servers/server.ts'

export const slowloris: Group = {
  name: 'slowloris',
  summary: '256 connections dribble a byte a second into one bridge; another one, beside its quiet',
  async measure(context) {
    const scene = await openScene(context)
    const command = [...context.placement.client, await compile('load-client', context)]
    const load = createLoad({ ...context, command })
    await load(scene.served, { clients: 16, seconds: 30, maxCalls: 30_000 })
    const rounds: Round[] = []
    for (let round = 1; round <= context.rounds; round++) {
      context.progress(`round ${round} of ${context.rounds}`)
      rounds.push(
        await measureRound(scene, (clients) =>
          load(scene.served, { clients, seconds: context.seconds }),
        ),
      )
    }
    return toMeasured(rounds)
  },
}

interface Scene {
  /** With the default limits. */
  attacked: Server
  served: Server
  attack: HoldOptions
}

async function openScene(context: BenchContext): Promise<Scene> {
  const { placement, processes } = context
  const common = { ...context, prefix: placement.server }
  const program = await compile('hold', context)
  return {
    attacked: await startCauseway({ ...common, name: 'attacked' }),
    served: await startCauseway({ ...common, name: 'served', flags: ['--no-limits'] }),
    attack: { processes, program, count: 256, byteEveryMs: 1000 },
  }
}

/** With 16 clients, and with one. */
type Figures = Record<'many' | 'one', BurstFigures>

type Round = Record<'quiet' | 'underAttack', Figures>

async function measureRound(
  { attacked, attack }: Scene,
  burst: (clients: number) => Promise<BurstFigures>,
): Promise<Round> {
  const quiet = { many: await burst(16), one: await burst(1) }
  const attacker = await holdConnections(attacked, attack)
  const underAttack = { many: await burst(16), one: await burst(1) }
  await attacker.stop()
  return { quiet, underAttack }
}

function toMeasured(rounds: readonly Round[]): Measured[] {
  const both = (figure: (figures: Figures) => number) => ({
    values: rounds.map(({ underAttack }) => figure(underAttack)),
    floors: rounds.map(({ quiet }) => figure(quiet)),
  })
  const errors = rounds.flatMap(({ quiet, underAttack }) =>
    [quiet, underAttack].map(({ many, one }) => many.errors + one.errors),
  )
  return [
    {
      name: 'calls/s, 16 clients',
      unit: 'calls/s',
      ...both(({ many }) => many.callsPerSecond),
      target: { of: 'ratio', atLeast: 1 / 1.5 },
    },
    {
      name: 'p50, 1 client',
      unit: 'µs',
      ...both(({ one }) => one.p50Us),
      target: { of: 'ratio', atMost: 1.5 },
    },
    {
      name: 'wrong or missing replies',
      unit: 'calls',
      values: [errors.reduce((sum, count) => sum + count, 0)],
      target: { of: 'value', atMost: 0 },
    },
  ]
}
