/**
 * `causeway whitelist list`: the network of a running deployment, and the hosts that its job has had
 * whitelisted.
 * @module
 */
import type { NetworkView } from '../../control/protocol.ts'
import { onDeployment, type ControlFlags } from '../deployments/control.ts'
import { print } from '../print/printable.ts'

interface ListFlags extends ControlFlags {
  json?: boolean
}

const labelWidth = 14

export const list = onDeployment(async ({ client, params }, { json }: ListFlags) => {
  const view = await client.call('GET /v1/deployments/:id/network', { params })
  print(json ? JSON.stringify(view) : networkText(view))
})

/** One label and its text a line; a host with its addresses after them. */
export function networkText(view: NetworkView): string {
  const { limits, networkRequests, counters, byHost, missing, hosts } = view
  return [
    line('network', modes[view.mode]),
    ...missing.map((text) => line('missing', text)),
    ...(limits ? [line('limit', limitText(limits))] : []),
    ...(networkRequests
      ? [line('at most', `${networkRequests} new connections in one execution`)]
      : []),
    line('connections', `${counted(counters)}, in this execution and those just before it`),
    ...(Object.values(byHost).some(Boolean) ? [line('by the host', counted(byHost))] : []),
    ...(hosts.length === 0 ? [line('hosts', 'none whitelisted')] : hosts.map(hostLine)),
  ].join('\n')
}

/** The network rests between executions and counts on; only `at most` begins anew. */
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
  return line(host, addresses.map(({ address, seconds }) => `${address} (${seconds} s)`).join(', '))
}

function line(label: string, text: string): string {
  return `${label.padEnd(labelWidth)} ${text}`
}
