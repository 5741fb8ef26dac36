/**
 * The cost of a call: the transport, with a method that does next to nothing.
 * @module
 */
import { compare } from '../comparison.ts'
import { comparisonRows, errorRow, expectNoErrors, type Line } from '../comparison-rows.ts'
import type { BenchContext, Group } from '../group.ts'
import { createLoad } from '../machine/load.ts'
import { compile } from '../machine/programs.ts'
import type { Measured } from '../row.ts'
import { startCauseway } from '../servers/causeway.ts'
import { startFloors } from '../servers/floors.ts'
import { nodeProgram, startOther, trivialHttpRequest } from '../servers/others.ts'
import type { Server } from '../servers/server.ts'

export const bridge: Group = {
  name: 'bridge',
  summary: 'a trivial call on causeway serve --no-limits, beside the better of two C epoll servers',
  async measure(context) {
    const { ours, floors, others } = await startServers(context)
    const program = await compile('load-client', context)
    const load = createLoad({ ...context, command: [...context.placement.client, program] })
    const servers = [...floors, ours, ...others]
    const comparison = await compare({ ...context, load, servers, clients: [1, 16, 256] })
    expectNoErrors(comparison, [...floors, ...others])
    return [
      ...comparisonRows(comparison, { server: ours, floors }, lines),
      errorRow(comparison, ours),
      ...others.flatMap((server) =>
        named(server, comparisonRows(comparison, { server, floors }, linesOfOthers)),
      ),
    ]
  },
}

const lines: readonly Line[] = [
  {
    name: 'calls/s, 16 clients',
    unit: 'calls/s',
    clients: 16,
    figure: 'callsPerSecond',
    target: { of: 'ratio', atLeast: 0.85 },
  },
  {
    name: 'CPU per call, 16 clients',
    unit: 'µs',
    clients: 16,
    figure: 'cpuUs',
    target: { of: 'ratio', atMost: 1.25 },
  },
  {
    name: 'p50, 1 client',
    unit: 'µs',
    clients: 1,
    figure: 'p50Us',
    target: { of: 'ratio', atMost: 1.15 },
  },
  { name: 'calls/s, 1 client', unit: 'calls/s', clients: 1, figure: 'callsPerSecond' },
  { name: 'p99, 16 clients', unit: 'µs', clients: 16, figure: 'p99Us' },
  { name: 'calls/s, 256 clients', unit: 'calls/s', clients: 256, figure: 'callsPerSecond' },
  { name: 'CPU per call, 256 clients', unit: 'µs', clients: 256, figure: 'cpuUs' },
]

// The three lines for which ours has targets; those of others are for comparison.
const linesOfOthers = lines
  .filter(({ target }) => target)
  .map(({ name, unit, clients, figure }) => ({ name, unit, clients, figure }))

function named({ name }: Server, rows: readonly Measured[]): Measured[] {
  return rows.map((row) => ({ ...row, name: `${name}: ${row.name}` }))
}

interface Servers {
  ours: Server
  floors: Server[]
  others: Server[]
}

async function startServers(context: BenchContext): Promise<Servers> {
  const { server: prefix } = context.placement
  const ours = await startCauseway({ ...context, prefix, flags: ['--no-limits'] })
  const start = (name: string, program: readonly string[], request?: string) => {
    const command = [...prefix, ...program]
    const { reply } = ours
    return startOther({ ...context, name, command, reply, ...(request && { request }) })
  }
  const floors = await startFloors(context, 'floor', ours.reply)
  const net = await start('node:net', nodeProgram('node-net.ts'))
  const http = await start('node:http', nodeProgram('node-http.ts'), trivialHttpRequest)
  return { ours, floors, others: [net, http] }
}
