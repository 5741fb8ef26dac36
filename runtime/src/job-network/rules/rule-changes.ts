/**
 * Changes to the rules of a job's network while it runs, and what they have counted.
 * @module
 */
import { familyOf } from '@causeway/service/egress'
import type { AdmittedAddress, NetworkCounters } from '../contract.ts'
import type { NftObject } from './nft.ts'
import { tableName } from './ruleset.ts'

/** To `admitted4` and `admitted6` of the table. */
export function admitScript(addresses: readonly AdmittedAddress[], table = tableName): string {
  const script = addresses.flatMap(({ address, seconds }) => [
    // What is in a set already keeps its old time: so it is added, taken away, and added anew.
    ...replaced(address, table),
    `add element ${table} ${setOf(address)} { ${address} timeout ${Math.ceil(seconds)}s }`,
  ])
  return lines(script)
}

export function revokeScript(addresses: readonly string[], table = tableName): string {
  return lines(addresses.flatMap((address) => replaced(address, table)))
}

/** Taking away what is not there would be an error: its time may be over. */
function replaced(address: string, table: string): string[] {
  const element = `element ${table} ${setOf(address)} { ${address} }`
  return [`add ${element}`, `delete ${element}`]
}

/** @throws Error for what is no address: it would be read as words of a script */
function setOf(address: string): string {
  const family = familyOf(address)
  if (!family || address.includes('%')) throw new Error(`${JSON.stringify(address)} is no address`)
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
