/**
 * A process with the host's network table, in the host's namespace of a lab.
 * @module
 */
import { fileURLToPath } from 'node:url'
import { startAsked, type AskedProcess } from './asked-process.ts'
import type { NetworkLab } from './network-lab.ts'

const child = fileURLToPath(new URL('host-table-child.ts', import.meta.url))

/** @param path folders to put in front of PATH */
export function startHostTable(
  { host }: Pick<NetworkLab, 'host'>,
  path = '',
): Promise<AskedProcess> {
  const node = ['--conditions=@causeway/source', '--import', 'tsx', child]
  const [program, ...args] = [...host.prefix, process.execPath, ...node]
  return startAsked([program!, ...args], {
    ...process.env,
    PATH: `${path}:${process.env['PATH']}`,
  })
}
