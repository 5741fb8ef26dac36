/**
 * `causeway whitelist list`: shows the network of a running deployment, and the hosts that its job
 * has had whitelisted.
 * @module
 */
import type { NetworkView } from '../../control/protocol.ts'
import { onDeployment, type ControlFlags } from '../deployments/control.ts'
import { print } from '../print/printable.ts'
import { labelled } from '../print/table.ts'

interface ListFlags extends ControlFlags {
  json?: boolean
}

export const list = onDeployment(async ({ client, params }, { json }: ListFlags) => {
  const view = await client.call('GET /v1/deployments/:id/network', { params })
  print(json ? JSON.stringify(view) : networkText(view))
})

/** Puts a label and its text on each line; hosts with their addresses come last. */
export function networkText(view: NetworkView): string {
  const { limits, networkRequests, counters, byHost, missing, hosts } = view
  return [
    labelled('network', modes[view.mode]),
    ...missing.map((text) => labelled('missing', text)),
    ...(limits ? [labelled('limit', limitText(limits))] : []),
    ...(networkRequests
      ? [labelled('at most', `${networkRequests} new connections in one execution`)]
      : []),
    labelled('connections', `${counted(counters)}, in this execution and those just before it`),
    ...(Object.values(byHost).some(Boolean) ? [labelled('by the host', counted(byHost))] : []),
    ...(hosts.length === 0 ? [labelled('hosts', 'none whitelisted')] : hosts.map(hostLine)),
  ].join('\n')
}

/** Counters go on over executions, because the network is kept; only `at most` starts again. */
function counted({ admitted, limited, refused }: NetworkView['counters']): string {
  return `${admitted} admitted, ${limited} limited, ${refused} refused`
}

const modes: Record<NetworkView['mode'], string> = {
  isolated: 'isolated: a network of its own',
  shared: 'shared: the host’s, limited by uid',
  none: 'the host’s; nothing is limited or refused',
}

function limitText({
  connectionsPerSecond,
  connectionBurst,
}: NonNullable<NetworkView['limits']>): string {
  return `${connectionsPerSecond} new connections/s to other hosts, ${connectionBurst} at once`
}

function hostLine({ host, addresses }: NetworkView['hosts'][number]): string {
  return labelled(
    host,
    addresses.map(({ address, seconds }) => `${address} (${seconds} s)`).join(', '),
  )
}
