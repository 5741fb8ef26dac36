/**
 * Opens the networks for jobs in the best mode that works on this host, found by trying.
 * @module
 */
import { StartError } from '../errors/start-error.ts'
import { isRoot } from '../state/state-folders.ts'
import type { EgressPolicy } from '@causeway/service/egress'
import { clearHostTable } from './isolated/host-table.ts'
import { openIsolatedNetworks } from './isolated/isolated-networks.ts'
import type { KernelNetwork, Networks, NetworkState } from './contract.ts'
import { withHostFaces } from './host-faces.ts'
import { livePolicy } from './live-policy.ts'
import type { NetworkConfig } from './settings.ts'
import { openSharedNetworks } from './shared/shared-networks.ts'

/** @throws StartError NETWORK_UNAVAILABLE when this host lacks what the operator requires */
export async function openNetworks(
  settings: NetworkConfig,
  onWarning: (message: string) => void,
): Promise<Networks> {
  const policy = livePolicy(settings)
  const networks = withHostFaces(await openBest(settings, policy, onWarning), { settings, policy })
  const { missing } = networks.state
  if (settings.enforce === 'auto' || missing.length === 0) return networks
  await networks.close()
  throw unavailable(`network.enforce = "required": ${missing.join('; ')}`)
}

async function openBest(
  settings: NetworkConfig,
  policy: EgressPolicy,
  onWarning: (message: string) => void,
): Promise<Networks<KernelNetwork>> {
  const { mode } = settings
  if (!isRoot()) return withoutRoot(mode)
  const reasons: string[] = []
  if (mode !== 'shared') {
    const options = { settings, policy, onWarning }
    const isolated = await openIsolatedNetworks(options).catch(noting(reasons))
    if (isolated) return isolated
    if (mode === 'isolated') throw unavailable(`network.mode = "isolated": ${reasons[0]}`)
  }
  await clearHostTable().catch(noting([])) // without nft, no process can have left a table
  const why = reasons.map((reason) => `no network namespaces for jobs (${reason})`)
  const shared = await openSharedNetworks({ settings, policy, missing: why, onWarning }).catch(
    noting(reasons),
  )
  return shared ?? nothingHolds([`${notLimited} (${reasons.at(-1)})`])
}

const notLimited = 'connections of jobs are neither limited nor kept from private addresses'

function withoutRoot(mode: NetworkConfig['mode']): Networks<KernelNetwork> {
  if (mode === 'isolated') throw unavailable('network.mode = "isolated": only root can')
  return nothingHolds([`${notLimited} (only root can)`])
}

function noting(reasons: string[]) {
  return (error: unknown) => {
    if (error instanceof StartError) throw error
    reasons.push((error as Error).message)
    return undefined
  }
}

function nothingHolds(missing: readonly string[]): Networks<KernelNetwork> {
  const state: NetworkState = { mode: 'none', missing }
  const network: KernelNetwork = {
    state,
    namespace: undefined,
    attach: async () => {},
    admit: async () => {},
    revoke: async () => {},
    counters: async () => ({ admitted: 0, limited: 0, refused: 0 }),
    release: async () => {},
  }
  return {
    state,
    warnings: [],
    open: async () => network,
    keepSpare: () => {},
    close: async () => {},
  }
}

function unavailable(message: string): StartError {
  return new StartError('NETWORK_UNAVAILABLE', message)
}
