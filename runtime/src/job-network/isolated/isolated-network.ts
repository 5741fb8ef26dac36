/**
 * A network namespace for the jobs of one deployment, with its cable to the host, its rules and its
 * queues.
 * @module
 */
import { closeFd, createNetwork } from '@causeway/native'
import type { EgressPolicy, Family } from '@causeway/service/egress'
import type { AdmittedAddress, NetworkCounters } from '../contract.ts'
import { createNft, type Nft } from '../rules/nft.ts'
import { emptyQueues, layQueues, queuesOf, type Queues } from './rate-queues.ts'
import { admitScript, countersOf, revokeScript } from '../rules/rule-changes.ts'
import { nothingAdmitted, requestLimit, ruleset } from '../rules/ruleset.ts'
import type { NetworkSettings } from '../settings.ts'
import { connectToHost, disconnect, isThere } from './veth.ts'

export interface IsolatedOptions {
  settings: NetworkSettings
  policy: EgressPolicy
  /** Whether this kernel has queues. */
  queues: boolean
  /** In which it gets addresses. */
  families: readonly Family[]
}

export interface IsolatedNetwork {
  /** Descriptor of the namespace. */
  readonly namespace: number
  admit(addresses: readonly AdmittedAddress[]): Promise<void>
  revoke(addresses: readonly string[]): Promise<void>
  counters(): Promise<NetworkCounters>
  /** Most new connections from now on, until it is renewed; 0: no limit. */
  allowConnections(most: number): Promise<void>
  /** For another execution: nothing is admitted any more, and none has connected. */
  renew(): Promise<void>
  /** Whether its cable is still there: whoever arranges the host's interfaces may take it away. */
  isConnected(): boolean
  /** The namespace goes, when no process is in it, either. */
  close(): Promise<void>
}

/** @throws Error; nothing of it is left then */
export async function openIsolatedNetwork(options: IsolatedOptions): Promise<IsolatedNetwork> {
  const queues = options.queues ? queuesOf(options.settings) : undefined
  const namespace = createNetwork()
  let name: string
  try {
    name = await connectToHost(namespace, options.families)
    await furnish(namespace, options, queues)
  } catch (error) {
    closeFd(namespace)
    throw error
  }
  const nft = whileOpen(createNft(namespace))
  let maxConnections = 0
  return {
    namespace,
    admit: (addresses) => nft.apply(admitScript(addresses)),
    revoke: (addresses) => nft.apply(revokeScript(addresses)),
    counters: async () => countersOf(await nft.json(['list', 'counters'])),
    async allowConnections(most) {
      if (most === maxConnections) return
      maxConnections = most
      await nft.apply(requestLimit(most))
    },
    async renew() {
      await nft.apply(nothingAdmitted + requestLimit(maxConnections))
      if (queues) await emptyQueues(namespace, queues)
    },
    isConnected: () => isThere(name),
    async close() {
      nft.close()
      // Where that fails the namespace does it.
      await disconnect(name).catch(() => {})
      closeFd(namespace)
    },
  }
}

/** Afterwards its descriptor may be that of something else. */
function whileOpen(nft: Nft): Nft & { close: () => void } {
  let isOpen = true
  const check = () => {
    if (!isOpen) throw new Error('the network is closed')
  }
  return {
    async apply(script) {
      check()
      await nft.apply(script)
    },
    async json(args) {
      check()
      return nft.json(args)
    },
    close: () => void (isOpen = false),
  }
}

/** Nothing can be sent before the rules hold: nobody is in it yet. */
async function furnish(
  namespace: number,
  { settings, policy }: IsolatedOptions,
  queues: Queues | undefined,
): Promise<void> {
  await Promise.all([
    queues && layQueues(namespace, queues),
    createNft(namespace).apply(ruleset({ settings, policy, queues })),
  ])
}
