/**
 * The cost of the network extension for an admitted connection, and the accuracy of its rate.
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { ConnectionFigures } from '../connections/client.ts'
import type { NetworkFigures } from '../connections/measure-connections.ts'
import type { BenchContext, Group } from '../group.ts'
import { compile } from '../machine/programs.ts'
import type { Measured } from '../row.ts'

// Fewer pairs cannot distinguish 10 % from chance.
const fewestPairs = 20
const timeoutMs = 3_600_000
const script = '../connections/measure-connections.ts'
const program = fileURLToPath(new URL(script, import.meta.url))
const node = [process.execPath, '--conditions=@causeway/source', '--import', 'tsx', program]

export const network: Group = {
  name: 'network',
  summary: 'TCP connections of a job to an admitted address, beside the same without the extension',
  async measure(context) {
    if (process.getuid?.() !== 0) throw new Error('the group network needs root, for namespaces')
    return rows(await measureInNamespace(context))
  },
}

async function measureInNamespace(context: BenchContext): Promise<NetworkFigures> {
  const { processes, placement, progress, rounds, seconds } = context
  const programs = [await compile('tcp-client', context), await compile('tcp-server', context)]
  const pairs = Math.max(rounds, fewestPairs)
  progress(`${pairs} pairs`)
  const args = [...[pairs, rounds, seconds].map(String), ...programs]
  const command = [...placement.server, 'unshare', '--net', ...node, ...args]
  return JSON.parse(await processes.run(command, timeoutMs)) as NetworkFigures
}

/** @param figures the rounds of each way */
export function rows(figures: NetworkFigures): Measured[] {
  const { plain, admitted, host, shared, others, limited } = figures
  const few = plain.slice(0, host.length)
  return [
    {
      ...costs('CPU per admitted connection', admitted, plain),
      target: { of: 'ratio', atMost: 1.1 },
    },
    differenceRow(admitted, plain),
    rates('admitted connections', admitted, plain),
    costs('the same without the extension, beside the host’s network', few, host),
    costs('admitted in shared mode, beside the host’s network', shared, host),
    costs('of others while shared mode holds for a job', others, host),
    {
      name: 'connections that are not admitted, after the burst',
      unit: 'connections/s',
      values: limited.map(({ perSecond }) => perSecond),
      target: { of: 'value', atLeast: 9, atMost: 11 },
    },
  ]
}

type Bursts = readonly ConnectionFigures[]

const cpu = (bursts: Bursts) => bursts.map(({ cpuUs }) => cpuUs)
const rate = (bursts: Bursts) => bursts.map(({ perSecond }) => perSecond)

function costs(name: string, bursts: Bursts, floors: Bursts): Measured {
  return { name, unit: 'µs', values: cpu(bursts), floors: cpu(floors) }
}

function rates(name: string, bursts: Bursts, floors: Bursts): Measured {
  return { name, unit: 'connections/s', values: rate(bursts), floors: rate(floors) }
}

/** The extension's own time, independent of a connection's other costs. */
function differenceRow(bursts: Bursts, floors: Bursts): Measured {
  const values = bursts.map(({ cpuUs }, round) => cpuUs - floors[round]!.cpuUs)
  return { name: 'CPU of the extension per admitted connection', unit: 'µs', values }
}
