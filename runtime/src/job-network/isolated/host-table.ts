/**
 * The host's packet rules for isolated networks, one table for all our processes: the host forwards
 * what jobs send, under its own address, and nothing else. The first process makes the table, also
 * after a crash; the last one removes it. When a firewall reload flushes the table, it is restored.
 * @module
 */
import type { Family } from '@causeway/service/egress'
import { orUndo } from '@causeway/service/failure'
import type { Shortfall } from '../../errors/shortfall.ts'
import { forwards, setForwarding } from './forwarding.ts'
import { alone, becomeUser, isUnused } from '../host-lock.ts'
import { closedChain, hostRuleset } from './host-ruleset.ts'
import { createNft, nameOfTable, type NftObject } from '../rules/nft.ts'
import { overlappingRoutes } from './overlapping-routes.ts'
import { tableName } from '../rules/ruleset.ts'
import { watchTables } from '../rules/table-watch.ts'
import { hasIpv6 } from './veth.ts'

export interface HostTable {
  /** Address families of jobs. */
  readonly families: readonly Family[]
  /** What else on this host keeps jobs from the network. */
  readonly obstacles: readonly Shortfall[]
  /** Adds IPv6 once this host has a default route for it. */
  refresh(): Promise<void>
  /** Ends this process's use of the table; the last process removes it. */
  release(): Promise<void>
}

/**
 * @param onWarning called when somebody removed the table, or it cannot be restored
 * @throws Error, StartError; the host is unchanged then
 */
export async function holdHostTable(onWarning: (message: string) => void): Promise<HostTable> {
  const closed = new Set<Family>()
  let families = familiesHere()
  const { leave, obstacles } = await alone(() => begin(families, closed))
  const watch = watchTables(async () => {
    try {
      if (await alone(() => restore(families, closed))) {
        onWarning(`somebody removed the host's packet rules for jobs (${tableName}); they are back`)
      }
    } catch (error) {
      onWarning(`the host's packet rules for jobs (${tableName}) are gone: ${String(error)}`)
    }
  })
  return {
    get families() {
      return families
    },
    obstacles,
    async refresh() {
      const found = familiesHere()
      if (found.length <= families.length) return
      families = found
      await alone(() => apply(families, closed))
    },
    async release() {
      await watch.close()
      await alone(async () => {
        leave()
        if (isUnused()) await remove()
      })
    },
  }
}

const familiesHere = (): Family[] => (hasIpv6() ? ['ipv4', 'ipv6'] : ['ipv4'])

async function begin(families: readonly Family[], closed: Set<Family>) {
  const leave = becomeUser()
  const make = async () => {
    await apply(families, closed)
    const chains = await createNft().json(['list', 'chains'])
    return { leave, obstacles: [...strangers(chains), ...(await overlappingRoutes())] }
  }
  return orUndo(make, async () => {
    leave()
    if (isUnused()) await remove().catch(() => {}) // the first error is the reason
  })
}

/**
 * Writes the rules that guard forwarding, then turns forwarding on.
 * @param closed families found without forwarding so far; new ones are added
 */
async function apply(families: readonly Family[], closed: Set<Family>): Promise<void> {
  const nft = createNft()
  for (const family of closedIn(await nft.json(['list', 'chains']))) closed.add(family)
  const shut = families.filter((family) => !forwards(family))
  for (const family of shut) closed.add(family)
  await nft.apply(hostRuleset([...closed]))
  for (const family of shut) setForwarding(family, true)
}

/** @returns whether the table was missing; another process may have restored it already */
async function restore(families: readonly Family[], closed: Set<Family>): Promise<boolean> {
  const tables = await createNft().json(['list', 'tables'])
  if (tables.some(isOurTable)) return false
  await apply(families, closed)
  return true
}

/** Removes the table that a killed process has left, unless another process uses it. */
export async function clearHostTable(): Promise<void> {
  await alone(async () => {
    if (!isUnused()) return
    const tables = await createNft().json(['list', 'tables'])
    if (tables.some(isOurTable)) await remove()
  })
}

async function remove(): Promise<void> {
  const nft = createNft()
  for (const family of closedIn(await nft.json(['list', 'chains']))) setForwarding(family, false)
  await nft.apply(`add table ${tableName}\ndelete table ${tableName}\n`)
}

function closedIn(objects: readonly NftObject[]): Family[] {
  const chains = objects.map(({ chain }) => chain).filter(isOurs)
  const names = chains.map((chain) => chain?.['name'])
  return (['ipv4', 'ipv6'] as const).filter((family) => names.includes(closedChain(family)))
}

const isOurTable = (object: NftObject) => nameOfTable(object) === tableName

type Chain = NftObject[string]

function isOurs(chain: Chain | undefined): boolean {
  return `${String(chain?.['family'])} ${String(chain?.['table'])}` === tableName
}

/** Other programs' forward chains that drop packets by default. */
function strangers(objects: readonly NftObject[]): Shortfall[] {
  const dropping = objects
    .map(({ chain }) => chain)
    .filter((chain) => chain?.['hook'] === 'forward' && chain['policy'] === 'drop')
  return dropping.map((chain) => {
    const name = [chain?.['family'], chain?.['table'], chain?.['name']].join(' ')
    return {
      text: `the firewall chain "${name}" drops packets by default: jobs reach nothing unless it accepts those of interfaces cwy-* (runtime/docs/network.md)`,
      remedy: `nft insert rule ${name} iifname "cwy-*" accept, and the same with oifname, wherever your firewall keeps its rules`,
    }
  })
}
