/**
 * The cost of serving one job only: calls from inside the job, on its own socket.
 * @module
 */
import { readFile } from 'node:fs/promises'
import { compare } from '../comparison.ts'
import { comparisonRows, errorRow, expectNoErrors, type Line } from '../comparison-rows.ts'
import type { BenchContext, Group } from '../group.ts'
import { openControl, type Control } from '../machine/control.ts'
import { insideJob } from '../machine/inside-job.ts'
import { createLoad, measureCpu, type Load } from '../machine/load.ts'
import { compile } from '../machine/programs.ts'
import type { Measured } from '../row.ts'
import { startFloors } from '../servers/floors.ts'
import { startJob } from '../servers/run-job.ts'
import type { Server } from '../servers/server.ts'

export const admission: Group = {
  name: 'admission',
  summary: 'the same call from inside a job to its own bridge, beside C servers that admit alike',
  async measure(context) {
    const control = await openControl()
    const ours = await startOurs(context, control)
    try {
      const sides = { ours, floors: await startFloors(context, 'admission-floor', ours.reply) }
      // Measure the job first: the floors admit the first caller.
      const byJob = await measureSides(context, sides, loadByJob(ours, control))
      const byOther = await measureUntraced(context, sides)
      return [...named('client outside PRoot', byOther), ...named('job under PRoot', byJob)]
    } finally {
      control.close()
      await ours.stop()
    }
  },
}

async function startOurs(context: BenchContext, control: Control): Promise<Server> {
  const { placement, progress } = context
  progress('starting a job')
  const program = await readFile(await compile('job-client', { ...context, isStatic: true }))
  const environment = { CONTROL_SOCKET: control.socket }
  const ours = await startJob({ ...context, prefix: placement.server, program, environment })
  placement.moveJob(ours.pid)
  return ours
}

interface Sides {
  ours: Server
  floors: Server[]
}

function loadByJob(ours: Server, control: Control): Load {
  return (server, burst) =>
    measureCpu(server, () => control.burst(server === ours ? 'bridge' : server.socket, burst))
}

/** Uses a client as fast as the floor's, so that the servers are the bottleneck. */
async function measureUntraced(context: BenchContext, sides: Sides): Promise<Measured[]> {
  const inside = insideJob(sides.ours.pid)
  if (!inside) return []
  const program = await compile('load-client', context)
  const command = [...context.placement.client, ...inside, program]
  const load = createLoad({ ...context, command })
  return measureSides(context, sides, load)
}

async function measureSides(
  context: BenchContext,
  { ours, floors }: Sides,
  load: Load,
): Promise<Measured[]> {
  const comparison = await compare({
    ...context,
    load,
    servers: [...floors, ours],
    clients: [1, 16],
  })
  expectNoErrors(comparison, floors)
  const rows = comparisonRows(comparison, { server: ours, floors }, lines)
  return [...rows, errorRow(comparison, ours)]
}

function named(who: string, rows: readonly Measured[]): Measured[] {
  return rows.map((row) => ({ ...row, name: `${who}: ${row.name}` }))
}

const lines: readonly Line[] = [
  {
    name: 'calls/s, 16 clients',
    unit: 'calls/s',
    clients: 16,
    figure: 'callsPerSecond',
    target: { of: 'ratio', atLeast: 0.85 },
  },
  { name: 'CPU per call, 16 clients', unit: 'µs', clients: 16, figure: 'cpuUs' },
  { name: 'p50, 1 client', unit: 'µs', clients: 1, figure: 'p50Us' },
]
