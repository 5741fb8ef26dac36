/**
 * A network namespace for the jobs of one deployment, with a veth pair to the host, packet rules
 * and rate queues.
 * @module
 */
import { closeFd } from '@causeway/native/process'
import { createNetwork } from '@causeway/native/network'
import type { EgressPolicy, Family } from '@causeway/service/egress'
import { orUndo } from '@causeway/service/failure'
import type { KernelNetwork } from '../contract.ts'
import { createNft, type Nft } from '../rules/nft.ts'
import { emptyQueues, layQueues, queuesOf, type Queues } from './rate-queues.ts'
import { admitScript, countersOf, revokeScript } from '../rules/rule-changes.ts'
import { nothingAdmitted, requestLimit, ruleset } from '../rules/ruleset.ts'
import { limitsText, type NetworkSettings } from '../settings.ts'
import { connectToHost, disconnect, isThere } from './veth.ts'

export interface IsolatedOptions {
  settings: NetworkSettings
  policy: EgressPolicy
  /** Whether this kernel has HTB queues. */
  queues: boolean
  /** Address families of the namespace. */
  families: readonly Family[]
}

export interface IsolatedNetwork extends Pick<KernelNetwork, 'admit' | 'revoke' | 'counters'> {
  /** Descriptor of the namespace. */
  readonly namespace: number
  /** Sets the most new connections from now until `renew`; 0: no limit. */
  allowConnections(most: number): Promise<void>
  /** Prepares another execution: revokes all addresses, and counts new connections from 0 again. */
  renew(): Promise<void>
  /**
   * Whether its veth pair still exists, which a network manager of the host may remove, and its
   * rules are those of the settings, which the operator may change.
   */
  isUsable(): boolean
  /** Closes the namespace; the kernel removes it when no process is in it. */
  close(): Promise<void>
}

/** @throws Error; nothing of the network is left then */
export async function openIsolatedNetwork(options: IsolatedOptions): Promise<IsolatedNetwork> {
  const limits = limitsText(options.settings)
  const queues = options.queues ? queuesOf(options.settings) : undefined
  const namespace = createNetwork()
  const connect = async () => {
    const end = await connectToHost(namespace, options.families)
    await furnish(namespace, options, queues)
    return end
  }
  const name = await orUndo(connect, () => closeFd(namespace))
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
    isUsable: () => isThere(name) && limits === limitsText(options.settings),
    async close() {
      nft.close()
      // If this fails, the kernel removes the pair with the namespace.
      await disconnect(name).catch(() => {})
      closeFd(namespace)
    },
  }
}

/** Refuses calls after `close`, when the descriptor may belong to something else. */
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

/** Adds queues and rules. They apply before the first packet, as no process is inside yet. */
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
