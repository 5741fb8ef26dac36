/**
 * What the host itself does in a job's network and for it.
 * @module
 */
import { createEgress as createNativeEgress, type NativeEgress } from '@causeway/native/network'
import { createEgress, type EgressPolicy } from '@causeway/service/egress'
import type { JobNetwork, KernelNetwork, Networks } from './contract.ts'
import { openInside } from './inside.ts'
import { createParking } from './network-pool.ts'
import { refillMs, type NetworkSettings } from './settings.ts'

interface Limits {
  settings: NetworkSettings
  policy: EgressPolicy
}

/** A deployment's egress and the addresses that are admitted in it. */
interface HostSide {
  native: NativeEgress
  admitted: Set<string>
}

/** Adds the host's faces to networks. A deployment's egress is parked as long as its limits refill. */
export function withHostFaces(networks: Networks<KernelNetwork>, limits: Limits): Networks {
  const parking = createParking<HostSide & { renew(): Promise<void>; close(): Promise<void> }>(
    refillMs(limits.settings),
  )
  return {
    ...networks,
    async open(owner) {
      const network = await networks.open(owner)
      const side = (await parking.unpark(owner.deployment)) ?? createSide(limits)
      const inside = openInside(network.namespace)
      return {
        ...network,
        handle: inside.handle,
        listen: (address, port) => inside.listen(address, port),
        connect: (address, port) => inside.connect(address, port),
        ...admissions(network, side),
        egress: egressOf(side.native),
        async release() {
          inside.close()
          await network.release()
          // For the next execution nothing is admitted yet.
          const renew = async () => {
            side.native.revoke([...side.admitted])
            side.admitted.clear()
          }
          await parking.park(owner.deployment, { ...side, renew, close: async () => {} })
        },
      }
    },
    async close() {
      await parking.close()
      await networks.close()
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
  return { native, admitted: new Set() }
}

/** Admits in the kernel first: the host must not be ahead of the job. */
function admissions(
  network: KernelNetwork,
  { native, admitted }: HostSide,
): Pick<KernelNetwork, 'admit' | 'revoke'> {
  return {
    async admit(addresses) {
      await network.admit(addresses)
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

function egressOf(native: NativeEgress): JobNetwork['egress'] {
  const egress = createEgress({
    allows: (address) => native.allows(address),
    take: (address) => native.take(address),
  })
  return { ...egress, handle: native.handle, counters: () => native.counters() }
}
