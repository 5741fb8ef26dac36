/**
 * What remains after much use, and the cost of idle connections.
 * @module
 */
import { setTimeout as pause } from 'node:timers/promises'
import type { BenchContext, Group } from '../group.ts'
import { descriptorsReach, holdConnections } from '../machine/held-connections.ts'
import { createLoad, type Load } from '../machine/load.ts'
import { openDescriptors, residentBytes } from '../machine/process-figures.ts'
import { compile } from '../machine/programs.ts'
import type { Measured, Target } from '../row.ts'
import { startCauseway } from '../servers/causeway.ts'
import type { Server } from '../servers/server.ts'

// Nothing here is timed, so nothing is pinned and all cores may be used.
export const idle: Group = {
  name: 'idle',
  summary: 'memory and descriptors of causeway serve --no-limits',
  async measure(context) {
    const command = [await compile('load-client', context)]
    const load = createLoad({ ...context, command })
    return [...(await measureIdleConnections(context, load)), ...(await measureUse(context, load))]
  },
}

const connections = 5_000
const calls = 1_000_000
// A server that has grown once does not grow again, so each measurement starts a new one.
const maxServers = 3

async function measureIdleConnections(context: BenchContext, load: Load): Promise<Measured[]> {
  const program = await compile('hold', context)
  const bytes: number[] = []
  const left: number[] = []
  for (let count = 1; count <= Math.min(maxServers, context.rounds); count++) {
    context.progress(`${connections} idle connections, server ${count}`)
    const server = await startCauseway({
      ...context,
      flags: ['--no-limits'],
      name: `idle-${count}`,
    })
    await settle(server, load)
    const figures = await holdOnce(context, server, program)
    bytes.push(figures.bytesEach)
    left.push(figures.descriptorsLeft)
    await server.stop()
  }
  const unit = 'bytes'
  return [
    { name: 'resident memory of an idle connection', unit, values: bytes, target: atMost(1024) },
    { name: 'descriptors left by them', unit: 'files', values: left, target: atMost(0) },
  ]
}

async function holdOnce({ processes }: BenchContext, server: Server, program: string) {
  const memory = residentBytes(server.pid)
  const descriptors = openDescriptors(server.pid)
  const options = { processes, program, count: connections, byteEveryMs: 0 }
  const holder = await holdConnections(server, options)
  const grown = residentBytes(server.pid) - memory
  const held = openDescriptors(server.pid) - descriptors
  if (held < connections) throw new Error(`expected ${connections} connections, found ${held}`)
  await holder.stop()
  const open = await descriptorsReach(server.pid, (now) => now <= descriptors)
  return { bytesEach: grown / connections, descriptorsLeft: open - descriptors }
}

/** Calls until heaps have their final size, then pauses for the garbage collector. */
async function settle(server: Server, load: Load): Promise<void> {
  await load(server, { clients: 16, seconds: 60, maxCalls: 200_000 })
  await pause(1_000)
}

async function measureUse(context: BenchContext, load: Load): Promise<Measured[]> {
  const server = await startCauseway({ ...context, flags: ['--no-limits'], name: 'use' })
  await settle(server, load)
  const descriptors = openDescriptors(server.pid)
  const half = { clients: 16, seconds: 300, maxCalls: calls / 2 }
  context.progress(`${calls} calls, first half`)
  const first = await load(server, half)
  const middle = residentBytes(server.pid)
  context.progress(`${calls} calls, second half`)
  const second = await load(server, half)
  const end = residentBytes(server.pid)
  const open = await descriptorsReach(server.pid, (now) => now <= descriptors)
  const name = (text: string) => `${calls.toLocaleString('en')} calls: ${text}`
  const wrong = first.errors + second.errors
  const growth = (100 * (end - middle)) / middle
  return [
    { name: name('wrong or missing replies'), unit: 'calls', values: [wrong], target: atMost(0) },
    {
      name: name('descriptors left'),
      unit: 'files',
      values: [open - descriptors],
      target: atMost(0),
    },
    { name: name('memory growth, second half'), unit: '%', values: [growth], target: atMost(5) },
    { name: name('resident memory in the end'), unit: 'MiB', values: [end / 2 ** 20] },
  ]
}

function atMost(bound: number): Target {
  return { of: 'value', atMost: bound }
}
