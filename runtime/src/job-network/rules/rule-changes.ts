/**
 * Scripts that admit and revoke addresses while a job runs, and the values of its counters.
 * @module
 */
import { familyOf } from '@causeway/service/egress'
import type { AdmittedAddress, NetworkCounters } from '../contract.ts'
import type { NftObject } from './nft.ts'
import { tableName } from './ruleset.ts'

/** Adds addresses to the sets `admitted4` and `admitted6` of the table. */
export function admitScript(addresses: readonly AdmittedAddress[], table = tableName): string {
  const script = addresses.flatMap(({ address, seconds }) => [
    // An element that is already in a set keeps its old timeout: so add, delete, and add it again.
    ...replaced(address, table),
    `add element ${table} ${setOf(address)} { ${address} timeout ${Math.ceil(seconds)}s }`,
  ])
  return lines(script)
}

export function revokeScript(addresses: readonly string[], table = tableName): string {
  return lines(addresses.flatMap((address) => replaced(address, table)))
}

/** Adds before it deletes: to delete an element that has timed out would be an error. */
function replaced(address: string, table: string): string[] {
  const element = `element ${table} ${setOf(address)} { ${address} }`
  return [`add ${element}`, `delete ${element}`]
}

/** @throws Error for text that is not an address: nft would read it as words of the script */
function setOf(address: string): string {
  const family = familyOf(address)
  if (!family || address.includes('%')) throw new Error(`no address: ${JSON.stringify(address)}`)
  return family === 'ipv4' ? 'admitted4' : 'admitted6'
}

const lines = (commands: readonly string[]) => commands.map((command) => `${command}\n`).join('')

export function countersOf(objects: readonly NftObject[]): NetworkCounters {
  const packets = (name: keyof NetworkCounters) => {
    const found = objects.find(({ counter }) => counter?.['name'] === name)
    return Number(found?.['counter']?.['packets'] ?? 0)
  }
  return { admitted: packets('admitted'), limited: packets('limited'), refused: packets('refused') }
}
