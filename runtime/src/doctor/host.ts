/** Checks this host: its Node, the state folder, this process, and the network of jobs. @module */
import { hardenProcess } from '@causeway/native/process'
import type { Config } from '../config/config.ts'
import type { NetworkState } from '../job-network/contract.ts'
import { openNetworks } from '../job-network/networks.ts'
import { closedAncestor, isRoot } from '../state/state-folders.ts'
import { failure, lacking, ok, type Check } from './finding.ts'
import { softLimit } from './resources.ts'

const oldest = [20, 19] as const

/** Checks whether Causeway supports this Node. */
export const nodeCheck: Check = {
  name: 'Node',
  look() {
    const { node } = process.versions
    const [major = 0, minor = 0] = node.split('.').map(Number)
    const isOld = major < oldest[0] || (major === oldest[0] && minor < oldest[1])
    return isOld
      ? failure(`${node}: expected 20.19 or later`, 'install Node 20.19, 22 or 24')
      : ok(node)
  },
}

/** Checks that the state folder is safe, and that jobs can reach their roots in it. */
export const stateFolderCheck: Check = {
  name: 'state folder',
  look(host) {
    const { root } = host.openState()
    // A daemon of root gives each job a uid, which must be able to enter every folder above its root.
    const closed = isRoot() ? closedAncestor(root) : undefined
    return closed === undefined
      ? ok(root)
      : failure(
          `${root}: other users can't enter ${closed}, so no job could be started`,
          'choose another folder with --state',
        )
  },
}

// hardenProcess sets 1: for a core handler behind a pipe, 0 means no limit.
const mostCoreBytes = 1

/** Checks that neither another process of the same user nor a crash exposes keys in memory. */
export const processCheck: Check = {
  name: 'process',
  look() {
    hardenProcess()
    const coreBytes = softLimit('Max core file size')
    return coreBytes !== undefined && coreBytes <= mostCoreBytes
      ? ok('not dumpable, no core files')
      : failure(
          `core files of ${coreBytes} bytes, with the keys in them`,
          'limit core files to 1 byte (LimitCORE=1 of a systemd unit)',
        )
  },
}

/** Makes a network for jobs and reports how far it is limited here. */
export const networkCheck: Check = {
  name: 'network of jobs',
  async look({ config: { network } }) {
    // Throws when the configuration requires what is missing here.
    const networks = await openNetworks(network, () => {})
    try {
      return lacking(describe(networks.state, network), networks.shortfalls)
    } finally {
      await networks.close()
    }
  },
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
