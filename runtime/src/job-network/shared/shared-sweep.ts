/** Removes the tables that dead daemons have left among the host's packet rules. @module */
import { isAbandoned } from '../../state/process-tag.ts'
import type { Nft } from '../rules/nft.ts'

export const tableFamily = 'inet'
export const sharedKind = 'causeway-shared'

/** Removes the tables of dead processes; those of living ones stay. @throws Error */
export async function sweepSharedTables(nft: Nft): Promise<void> {
  const tables = await nft.json(['list', 'tables', tableFamily])
  const left = tables
    .map(({ table }) => String(table?.['name']))
    .filter((name) => isAbandoned(sharedKind, name))
  // One by one: another daemon may be removing the same tables.
  for (const name of left) await removeTable(nft, name)
}

function removeTable(nft: Nft, name: string): Promise<void> {
  const table = `${tableFamily} ${name}`
  return nft.apply(`add table ${table}\ndelete table ${table}\n`)
}
