/** What the host itself does in a job's network and for it. @module */
import { setMaxListeners } from 'node:events'
import { createEgress as createNativeEgress, type NativeEgress } from '@causeway/native/network'
import { createEgress, type EgressPolicy } from '@causeway/service/egress'
import { StartError } from '../errors/start-error.ts'
import type { JobNetwork, KernelNetwork, Networks } from './contract.ts'
import { openInside } from './inside.ts'
import { createParking } from './network-pool.ts'
import { limitsText, refillMs, type NetworkSettings } from './settings.ts'

interface Limits {
  settings: NetworkSettings
  policy: EgressPolicy
}

/** A deployment's egress and the addresses that are admitted in it. */
interface HostSide {
  native: NativeEgress
  admitted: Set<string>
  /** Settings that it was made of. */
  limits: string
}

interface ParkedSide extends HostSide {
  renew(): Promise<void>
  close(): Promise<void>
}

// The longest line of the native egress: after it and the refill nothing is owed.
const longestWaitMs = 60_000

/** Adds the host's faces to networks. A deployment's egress is parked as long as its limits refill. */
export function withHostFaces(networks: Networks<KernelNetwork>, limits: Limits): Networks {
  const parking = createParking<ParkedSide>(refillMs(limits.settings) + longestWaitMs)
  return {
    ...networks,
    async open(owner) {
      const network = await networks.open(owner)
      try {
        const parked = await parking.unpark(owner.deployment)
        const isCurrent = parked?.limits === limitsText(limits.settings)
        const side = parked && isCurrent ? parked : createSide(limits)
        return facesOf(network, side, (renewed) => parking.park(owner.deployment, renewed))
      } catch (cause) {
        await network.release()
        const message = `no network for the job: ${(cause as Error).message}`
        throw new StartError('NETWORK_UNAVAILABLE', message, { cause })
      }
    },
    async close() {
      await parking.close()
      await networks.close()
    },
  }
}

function facesOf(
  network: KernelNetwork,
  side: HostSide,
  park: (side: ParkedSide) => Promise<void>,
): JobNetwork {
  const inside = openInside(network.namespace)
  const over = new AbortController()
  setMaxListeners(0, over.signal)
  return {
    ...network,
    handle: inside.handle,
    listen: (address, port) => inside.listen(address, port),
    connect: (address, port) => inside.connect(address, port),
    ...admissions(network, side, over.signal),
    egress: egressOf(side.native, over.signal),
    async release() {
      over.abort(new Error('the execution of this network is over'))
      inside.close()
      await network.release()
      // For the next execution nothing is admitted yet.
      const renew = async () => {
        side.native.revoke([...side.admitted])
        side.admitted.clear()
      }
      await park({ ...side, renew, close: async () => {} })
    },
  }
}

function createSide({ settings, policy: { refused, opened } }: Limits): HostSide {
  const native = createNativeEgress({
    refused: [...refused.ipv4, ...refused.ipv6],
    opened: [...opened.ipv4, ...opened.ipv6],
    connectionsPerSecond: settings.connectionsPerSecond,
    burst: settings.connectionBurst,
  })
  return { native, admitted: new Set(), limits: limitsText(settings) }
}

/** Admits in the kernel first: the host must not be ahead of the job. */
function admissions(
  network: KernelNetwork,
  { native, admitted }: HostSide,
  over: AbortSignal,
): Pick<KernelNetwork, 'admit' | 'revoke'> {
  return {
    async admit(addresses) {
      await network.admit(addresses)
      over.throwIfAborted()
      native.admit(addresses.map(({ address, seconds }) => ({ address, ms: seconds * 1000 })))
      for (const { address } of addresses) admitted.add(address)
    },
    async revoke(addresses) {
      native.revoke(addresses)
      for (const address of addresses) admitted.delete(address)
      await network.revoke(addresses)
    },
  }
}

function egressOf(native: NativeEgress, over: AbortSignal): JobNetwork['egress'] {
  const allows = (address: string) => !over.aborted && native.allows(address)
  const egress = createEgress({ allows, take: (address) => native.take(address), over })
  return { ...egress, handle: native.handle, counters: () => native.counters() }
}
