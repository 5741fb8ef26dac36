/**
 * The kernel's packet rules: changes to them, and what is in them.
 *
 * Mind these: `numgen inc` begins at 0. The bucket of a byte limit is rate + burst. To add an element that
 * is there does not renew its time. `flow` is a keyword. "drop" in an output chain is EPERM for a sender of
 * UDP.
 * @module
 */
import { runProgram } from '../program.ts'

/** One object of nft's JSON by its kind, as libnftables-json(5): `{counter: {name, packets, ...}}`. */
export type NftObject = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The packet rules of one network namespace. */
export interface Nft {
  /**
   * All of a script in one transaction, or nothing of it.
   * @throws Error with the first line that nft said
   */
  apply(script: string): Promise<void>
  /**
   * What a command lists: `['list', 'counters']`.
   * @throws Error as `apply`
   */
  json(args: readonly string[]): Promise<readonly NftObject[]>
}

/** @param namespace descriptor of a network namespace, default that of this process */
export function createNft(namespace?: number): Nft {
  const where = namespace === undefined ? {} : { inside: namespace }
  return {
    async apply(script) {
      await runProgram('nft', ['-f', '-'], { ...where, input: script })
    },
    async json(args) {
      const answer = JSON.parse(await runProgram('nft', ['-j', ...args], where)) as {
        nftables: NftObject[]
      }
      // The first says only which nft it is.
      return answer.nftables.slice(1)
    },
  }
}

/** Family and name of a table that was listed; of another object something else. */
export function nameOfTable({ table }: NftObject): string {
  return `${String(table?.['family'])} ${String(table?.['name'])}`
}
