/**
 * The cost of the audit log: the daemon's CPU time per signature, with the log and without.
 * @module
 */
import { mkdir, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { compare } from '../comparison.ts'
import { comparisonRows, errorRow, expectNoErrors, type Line } from '../comparison-rows.ts'
import type { BenchContext, Group } from '../group.ts'
import { createLoad } from '../machine/load.ts'
import { compile } from '../machine/programs.ts'
import type { Measured } from '../row.ts'
import { nodeProgram } from '../servers/others.ts'
import { fullLengthName, type Server } from '../servers/server.ts'
import { toSigning } from '../servers/signing.ts'

// Fewer pairs cannot distinguish 5 % from chance.
const fewestPairs = 20

export const audit: Group = {
  name: 'audit',
  summary: 'signer_sign by p256, the fastest, with the audit log, beside the same bridge without',
  async measure(context) {
    const without = await startBridge(context, 'no-audit')
    const logging = await startBridge(context, 'audit')
    const program = await compile('load-client', context)
    const comparison = await compare({
      ...context,
      rounds: Math.max(context.rounds, fewestPairs),
      load: createLoad({ ...context, command: [...context.placement.client, program] }),
      servers: [without, logging],
      clients: [16],
    })
    expectNoErrors(comparison, [without])
    const rows = comparisonRows(comparison, { server: logging, floors: [without] }, lines)
    return [...rows, differenceRow(rows[0]!), errorRow(comparison, logging)]
  },
}

/** The log's own time, independent of a call's other costs. */
function differenceRow({ values, floors, unit }: Measured): Measured {
  const differences = values.map((value, round) => value - floors![round]!)
  return { name: 'CPU of the log per call, 16 clients', unit, values: differences }
}

const lines: readonly Line[] = [
  {
    name: 'CPU per call, 16 clients',
    unit: 'µs',
    clients: 16,
    figure: 'cpuUs',
    target: { of: 'ratio', atMost: 1.05 },
  },
  { name: 'calls/s, 16 clients', unit: 'calls/s', clients: 16, figure: 'callsPerSecond' },
]

async function startBridge(context: BenchContext, name: 'audit' | 'no-audit'): Promise<Server> {
  const folder = join(context.folder, name)
  await mkdir(folder)
  const file = join(folder, 'deployment.json')
  await writeFile(file, '{}')
  const socket = fullLengthName()
  const program = [...context.placement.server, ...nodeProgram('bridge-process.ts')]
  const args = [socket, file, join(folder, 'state'), name]
  const { pid, stop } = await context.processes.start([...program, ...args])
  return toSigning({ name, socket, pid, request: '', reply: '', stop }, 'p256')
}
