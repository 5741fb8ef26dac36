/**
 * Opens the networks for jobs in the best mode that works on this host, found by trying.
 * @module
 */
import { remediesOf, ShortfallError, textsOf, type Shortfall } from '../errors/shortfall.ts'
import { StartError } from '../errors/start-error.ts'
import { isRoot } from '../state/state-folders.ts'
import type { EgressPolicy } from '@causeway/service/egress'
import { bulkGaps } from './bulk-datagrams.ts'
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
  const remedy = remediesOf(networks.shortfalls)
  throw unavailable(`network.enforce = "required": ${missing.join('; ')}`, remedy)
}

async function openBest(
  settings: NetworkConfig,
  policy: EgressPolicy,
  onWarning: (message: string) => void,
): Promise<Networks<KernelNetwork>> {
  const { mode, enforce } = settings
  if (!isRoot()) return withoutRoot(mode)
  const reasons: Shortfall[] = []
  const missing = bulkGaps()
  const options = { settings, policy, onWarning, isRequired: enforce === 'required' }
  if (mode !== 'shared') {
    const isolated = await openIsolatedNetworks({ ...options, missing }).catch(noting(reasons))
    if (isolated) return isolated
    const { text, remedy } = reasons[0]!
    if (mode === 'isolated') throw unavailable(`network.mode = "isolated": ${text}`, remedy)
  }
  await clearHostTable().catch(noting([])) // without nft, no process can have left a table
  const why = reasons.map(({ text, remedy }) => ({
    text: `no network namespaces for jobs (${text})`,
    remedy,
  }))
  const shared = await openSharedNetworks({ ...options, missing: [...why, ...missing] }).catch(
    noting(reasons),
  )
  return shared ?? nothingHolds(reasons.at(-1)!)
}

const notLimited = 'connections of jobs are neither limited nor kept from private addresses'

function withoutRoot(mode: NetworkConfig['mode']): Networks<KernelNetwork> {
  const [text, remedy] = ['only root can', 'run the daemon as root']
  if (mode === 'isolated') throw unavailable(`network.mode = "isolated": ${text}`, remedy)
  return nothingHolds({ text, remedy })
}

function noting(reasons: Shortfall[]) {
  return (error: unknown) => {
    if (error instanceof StartError) throw error
    reasons.push({ text: (error as Error).message, remedy: remedyOf(error as Error) })
    return undefined
  }
}

function remedyOf(error: Error): string {
  if (error instanceof ShortfallError) return error.remedy
  return /not permitted|EPERM|EACCES/.test(error.message)
    ? 'give the daemon CAP_NET_ADMIN and CAP_SYS_ADMIN'
    : 'take a kernel with network namespaces, veth and nftables (modprobe veth nf_tables)'
}

function nothingHolds({ text: why, remedy }: Shortfall): Networks<KernelNetwork> {
  const missing = [{ text: `${notLimited} (${why})`, remedy }]
  const state: NetworkState = { mode: 'none', missing: textsOf(missing) }
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
    shortfalls: missing,
    open: async () => network,
    keepSpare: () => {},
    close: async () => {},
  }
}

function unavailable(message: string, remedy: string): StartError {
  return new StartError('NETWORK_UNAVAILABLE', message, { remedy })
}
