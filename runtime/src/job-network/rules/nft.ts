/** Changes and lists the kernel's packet rules by nft(8). @module */
import { runProgram } from '../program.ts'

/** One object of nft's JSON by its kind, as libnftables-json(5): `{counter: {name, packets, ...}}`. */
export type NftObject = Readonly<Record<string, Readonly<Record<string, unknown>>>>

/** The packet rules of one network namespace. */
export interface Nft {
  /**
   * Applies a script in one transaction: all of it, or nothing.
   * @throws Error with the first line of nft's complaint
   */
  apply(script: string): Promise<void>
  /**
   * The objects that a command such as `['list', 'counters']` lists.
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
      // The first object only names the version of nft.
      return answer.nftables.slice(1)
    },
  }
}

/** Family and name of a listed table; for another object, text that names no table. */
export function nameOfTable({ table }: NftObject): string {
  return `${String(table?.['family'])} ${String(table?.['name'])}`
}
