/**
 * Prints the costs of a job's connections, for each way that they can take, as a line of JSON. It
 * is a process of its own, to be started in a new network namespace. Arguments: pairs, rounds of
 * the other ways, seconds of a burst, the programs `tcp-client` and `tcp-server`.
 * @module
 */
import { loadConfig } from '../../../runtime/src/config/config.ts'
import { findPlacement } from '../machine/placement.ts'
import { createProcesses } from '../machine/processes.ts'
import { createClient, type Connect, type ConnectionFigures } from './client.ts'
import { openIsolatedSides, type IsolatedSides } from './isolated-sides.ts'
import { openLab, servers } from './lab.ts'
import { asSharedJob } from './shared-side.ts'

/** The figures of each way, by round. */
export interface NetworkFigures {
  /** In a job's namespace, without the extension. */
  plain: ConnectionFigures[]
  /** With the extension, to an admitted address. */
  admitted: ConnectionFigures[]
  /** In the host's own network. */
  host: ConnectionFigures[]
  /** In the host's network with the rules of shared mode, to an admitted address. */
  shared: ConnectionFigures[]
  /** Other users' connections in the host's network, while shared mode's rules apply to a job. */
  others: ConnectionFigures[]
  /** With the extension, to an address that is not admitted, after the free burst. */
  limited: ConnectionFigures[]
}

const [pairs, rounds, seconds] = process.argv.slice(2, 5).map(Number) as [number, number, number]
const [clientProgram, serverProgram] = process.argv.slice(5) as [string, string]
const port = 7
const settings = loadConfig(undefined).network
const processes = createProcesses()
// After a signal the measurement fails, and its traces on the host disappear with it.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void processes.stopAll())
}
process.once('exit', processes.killAll)

async function openClient(): Promise<Connect> {
  const { client: placement } = findPlacement()
  const { internet } = await openLab()
  // If we are killed, the server must end, too.
  const tied = ['setpriv', '--pdeathsig', 'KILL', ...internet]
  const { pid } = await processes.start([...placement, ...tied, serverProgram, String(port)])
  return createClient({ program: clientProgram, port, serverPid: pid, placement, processes })
}

const connect = await openClient()
const sides = await openIsolatedSides(settings)

const inHost = () => connect({ prefix: [], address: servers.host, seconds })
const ways = {
  plain: () => connect({ prefix: sides.plain, address: servers.plain, seconds }),
  admitted: () => connect({ prefix: sides.limited, address: servers.admitted, seconds }),
  host: inHost,
  shared: () =>
    asSharedJob(settings, (prefix) => connect({ prefix, address: servers.shared, seconds })),
  others: () => asSharedJob(settings, inHost),
}

/** Measures all ways in turn, each as often as it is due. */
async function measure(): Promise<NetworkFigures> {
  const figures: NetworkFigures = {
    plain: [],
    admitted: [],
    host: [],
    shared: [],
    others: [],
    limited: [],
  }
  for (const run of Object.values(ways)) await run()
  const before = await sides.counters()
  for (let round = 0; round < Math.max(pairs, rounds); round++) {
    for (const name of round < rounds ? all : pair) figures[name].push(await ways[name]())
  }
  await expectAdmitted(sides, before.admitted, figures.admitted)
  figures.limited.push(await measureLimit(sides))
  return figures
}

const pair = ['plain', 'admitted'] as const
const all = [...pair, 'host', 'shared', 'others'] as const

/** Checks by the counters that the intended connections were measured. */
async function expectAdmitted(
  sides: IsolatedSides,
  before: number,
  bursts: readonly ConnectionFigures[],
): Promise<void> {
  const { admitted, limited, refused } = await sides.counters()
  const made = bursts.reduce((sum, { connections }) => sum + connections, 0)
  if (admitted - before === made && limited + refused === 0) return
  const found = `${admitted - before} admitted, ${limited} limited, ${refused} refused`
  throw new Error(`expected ${made} admitted connections, found ${found}`)
}

const limitSeconds = 5

async function measureLimit({ limited: prefix }: IsolatedSides): Promise<ConnectionFigures> {
  const to = { prefix, address: servers.limited }
  await connect({ ...to, seconds: 60, maxConnections: settings.connectionBurst + 5 })
  return connect({ ...to, seconds: limitSeconds })
}

process.stdout.write(`${JSON.stringify(await measure())}\n`)
await processes.stopAll()
process.exit()
