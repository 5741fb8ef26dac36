/**
 * The packet rules of one deployment in the host's own network namespace, in a table of their own.
 * @module
 */
import { existsSync } from 'node:fs'
import { join, relative } from 'node:path'
import { ownedName } from '../../state/process-tag.ts'
import type { AdmittedAddress, KernelNetwork, NetworkOwner } from '../contract.ts'
import { createNft, type Nft } from '../rules/nft.ts'
import { admitScript, countersOf, revokeScript } from '../rules/rule-changes.ts'
import { attachOwner, detachOwner, holdGroups } from './shared-owner.ts'
import { sharedTable, type SharedOptions } from './shared-ruleset.ts'
import { sharedKind, tableFamily } from './shared-sweep.ts'

/** Each group stays in the kernel's memory with the table: nft cannot name a removed group. */
export const mostGroupsOfTable = 256

export interface SharedNetwork extends Pick<KernelNetwork, 'admit' | 'revoke' | 'counters'> {
  /** Applies the rules to this owner's job, and to no other. */
  attachOwner(owner: NetworkOwner): Promise<void>
  /** @param groups folders of control groups whose processes are the job's */
  attach(groups: readonly string[]): Promise<void>

  /** Detaches the table from its job; the state of the limits stays. */
  renew(): Promise<void>
  /** Whether so many control groups were attached that another table should replace this one. */
  isExhausted(): boolean
  /** Family and name of its table. */
  readonly table: string
  /** Makes the table again after somebody has removed it. */
  restore(): Promise<void>
  close(): Promise<void>
}

/** @throws Error saying what this host lacks; no table is left then */
export async function openSharedNetwork(
  options: SharedOptions,
  nft: Nft = createNft(),
): Promise<SharedNetwork> {
  const { mostGroups = mostGroupsOfTable } = options
  const name = ownedName(sharedKind)
  const table = `${tableFamily} ${name}`
  const groups = new Set<string>()
  const admitted = createAdmittedMemory()
  let holder: NetworkOwner | undefined
  let held = 0
  const whole = () => [
    sharedTable(table, options),
    holder ? attachOwner(table, holder, options.settings) : '',
    holdGroups(table, present(groups)),
    admitScript(admitted.left(), table),
  ]
  await nft.apply(whole().join(''))
  return {
    table,
    async attachOwner(owner) {
      await nft.apply(attachOwner(table, owner, options.settings))
      holder = owner
    },
    restore: () => nft.apply(whole().join('')),
    async attach(folders) {
      const known = folders.filter(isVersion2)
      for (const folder of known) groups.add(folder)
      held += known.length
      await nft.apply(holdGroups(table, present(groups)))
    },
    async admit(addresses) {
      await nft.apply(admitScript(addresses, table))
      admitted.add(addresses)
    },
    async revoke(addresses) {
      admitted.remove(addresses)
      await nft.apply(revokeScript(addresses, table))
    },
    counters: async () =>
      countersOf(await nft.json(['list', 'counters', 'table', tableFamily, name])),
    async renew() {
      groups.clear()
      admitted.clear()
      holder = undefined
      await nft.apply(detachOwner(table))
    },
    isExhausted: () => held >= mostGroups,
    // The next start removes a table that could not be deleted.
    close: () => nft.apply(`delete table ${table}\n`).catch(() => {}),
  }
}

/** Remembers the admitted addresses, to admit them again in a restored table. */
function createAdmittedMemory() {
  const ends = new Map<string, number>()
  return {
    add(addresses: readonly AdmittedAddress[]): void {
      for (const { address, seconds } of addresses) {
        ends.set(address, performance.now() + 1000 * seconds)
      }
    },
    remove: (addresses: readonly string[]) => addresses.forEach((address) => ends.delete(address)),
    clear: () => ends.clear(),
    left(): AdmittedAddress[] {
      const all = [...ends].map(([address, end]) => ({
        address,
        seconds: (end - performance.now()) / 1000,
      }))
      return all.filter(({ seconds }) => seconds > 0)
    },
  }
}

/** The kernel identifies sockets only by groups of version 2. */
function isVersion2(folder: string): boolean {
  return existsSync(join(folder, 'cgroup.controllers'))
}

// Where nft looks for control groups.
const groupsOfNft = '/sys/fs/cgroup'

/** Paths of the groups that still exist: nft refuses others. */
function present(groups: Set<string>): string[] {
  for (const folder of groups) if (!existsSync(folder)) groups.delete(folder)
  return [...groups].map(nftPath)
}

function nftPath(folder: string): string {
  return relative(groupsOfNft, folder)
}
