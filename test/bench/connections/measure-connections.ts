/**
 * Prints what connections of jobs cost by each way that there is, a line of JSON; a process of its
 * own, to be started in a new network namespace. Arguments: pairs, rounds of the other ways, seconds
 * of a burst, the programs `tcp-client` and `tcp-server`.
 * @module
 */
import { loadConfig } from '../../../runtime/src/config/config.ts'
import { findPlacement } from '../machine/placement.ts'
import { createProcesses } from '../machine/processes.ts'
import { createClient, type Connect, type ConnectionFigures } from './client.ts'
import { openIsolatedSides, type IsolatedSides } from './isolated-sides.ts'
import { openLab, servers } from './lab.ts'
import { asSharedJob } from './shared-side.ts'

/** One for each round of it. */
export interface NetworkFigures {
  /** A job's namespace without the extension. */
  plain: ConnectionFigures[]
  /** With it, to an address that is admitted. */
  admitted: ConnectionFigures[]
  /** The host's own network. */
  host: ConnectionFigures[]
  /** The same with the rules of shared mode, to an address that is admitted. */
  shared: ConnectionFigures[]
  /** Somebody else's in the host's own network, while those rules hold for a job. */
  others: ConnectionFigures[]
  /** With the extension, to an address that is not admitted, after the burst that is free. */
  limited: ConnectionFigures[]
}

const [pairs, rounds, seconds] = process.argv.slice(2, 5).map(Number) as [number, number, number]
const [clientProgram, serverProgram] = process.argv.slice(5) as [string, string]
const port = 7
const settings = loadConfig(undefined).network
const processes = createProcesses()
// Given up on, what runs fails, and what is left of it in the host goes with that.
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
  process.once(signal, () => void processes.stopAll())
}
process.once('exit', processes.killAll)

async function openClient(): Promise<Connect> {
  const { client: placement } = findPlacement()
  const { internet } = await openLab()
  // Killed, we must not leave a server behind either.
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

/** In turn, as often as each is to be. */
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

/** What was measured is what was meant to be. */
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
