/**
 * A process that makes shared networks in the host's namespace of a lab.
 * @module
 */
import { fileURLToPath } from 'node:url'
import type { NetworkSettings } from '../../runtime/src/job-network/settings.ts'
import { startAsked, type AskedProcess } from './asked-process.ts'
import type { NetworkLab } from './network-lab.ts'

const child = fileURLToPath(new URL('shared-networks-child.ts', import.meta.url))

export const settings: NetworkSettings = {
  connectionsPerSecond: 10,
  connectionBurst: 20,
  bytesPerSecond: 0,
  byteBurst: 65_536,
  dnsPerSecond: 5,
  dnsBurst: 10,
  allow: [],
}

/** With what is no setting of an operator's. */
export interface SharedSettings extends NetworkSettings {
  mostGroups?: number
}

/** A process that makes networks. */
export interface NetworksProcess extends Omit<AskedProcess, 'ask'> {
  /** @throws Error as there */
  ask<Value = void>(deployment: string, action: string, given?: unknown): Promise<Value>
}

export async function startNetworks(
  { host }: Pick<NetworkLab, 'host'>,
  changes: Partial<SharedSettings> = {},
): Promise<NetworksProcess> {
  const node = ['--conditions=@causeway/source', '--import', 'tsx', child]
  const given = JSON.stringify({ ...settings, ...changes })
  const [program, ...args] = [...host.prefix, process.execPath, ...node, given]
  const asked = await startAsked([program!, ...args])
  return {
    ...asked,
    ask: (deployment, action, value) =>
      asked.ask(JSON.stringify([deployment, action, value ?? null])),
  }
}
