/** @module */
import type { Config } from '../config/config.ts'
import type { NetworkState } from '../job-network/contract.ts'
import { openNetworks } from '../job-network/networks.ts'
import { ok, warning, type Check } from './finding.ts'

/** How far the network of jobs is limited here, found out by making one. */
export const networkCheck: Check = {
  name: 'network of jobs',
  async look({ config: { network } }) {
    // What is required and missing is told by the error.
    const networks = await openNetworks(network, () => {})
    try {
      const { state, warnings } = networks
      const said = [...state.missing, ...warnings]
      if (said.length === 0) return ok(describe(state, network))
      return warning(`${describe(state, network)}; ${said.join('; ')}`, remedyFor(state))
    } finally {
      await networks.close()
    }
  },
}

function remedyFor({ missing }: NetworkState): string {
  return missing.length > 0
    ? 'run the daemon as root, with CAP_NET_ADMIN, on a host with nftables and iproute2'
    : 'see runtime/docs/network.md'
}

const modes: Readonly<Record<NetworkState['mode'], string>> = {
  isolated: 'a namespace for each deployment',
  shared: "the host's, with rules by uid",
  none: "the host's, not limited",
}

function describe({ mode }: NetworkState, settings: Config['network']): string {
  if (mode === 'none') return modes[mode]
  const { connectionsPerSecond, connectionBurst } = settings
  return `${modes[mode]}; ${connectionsPerSecond} new connections/s, ${connectionBurst} at once, to others than whitelisted hosts`
}
