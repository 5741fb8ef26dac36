/**
 * The cost of `network_whitelist`'s DNS queries: three addresses, beside one query by c-ares.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { startNameServer } from '../../support/name-server.ts'
import type { BenchContext, Group } from '../group.ts'
import type { Measured } from '../row.ts'
import type { VerificationFigures } from '../verification/measure-verifications.ts'
import { zones } from '../verification/zones.ts'

const timeoutMs = 600_000
const script = '../verification/measure-verifications.ts'
const program = fileURLToPath(new URL(script, import.meta.url))
const node = [process.execPath, '--conditions=@causeway/source', '--import', 'tsx', program]

export const verification: Group = {
  name: 'verification',
  summary: 'a host of three addresses verified, nine queries to NSD, beside one query by c-ares',
  async measure(context) {
    context.progress('starting nsd')
    await using server = await startNameServer(zones, context.placement.client)
    return rows(await measureAt(server.port, context))
  },
}

async function measureAt(
  port: number,
  { processes, placement, progress, rounds, seconds }: BenchContext,
): Promise<VerificationFigures[]> {
  progress(`${rounds} rounds`)
  const args = [port, rounds, seconds].map(String)
  const line = await processes.run([...placement.server, ...node, ...args], timeoutMs)
  return JSON.parse(line) as VerificationFigures[]
}

function rows(figures: readonly VerificationFigures[]): Measured[] {
  const of = (name: keyof VerificationFigures) => figures.map((round) => round[name])
  return [
    {
      name: 'three addresses, one at a time',
      unit: 'µs',
      values: of('oneUs'),
      floors: of('queryUs'),
      target: { of: 'ratio', atMost: 12 },
    },
    {
      name: 'three addresses, 16 at once',
      unit: 'verifications/s',
      values: of('perSecond'),
      floors: of('queriesPerSecond'),
      target: { of: 'ratio', atLeast: 0.02 },
      remark: 'the floor is queries by c-ares, 16 at once; a verification asks nine',
    },
    { name: 'CPU per verification', unit: 'µs', values: of('cpuUs') },
  ]
}
