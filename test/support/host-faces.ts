/**
 * Job networks with the host's faces, over a kernel's side that the test makes.
 * @module
 */
import * as v from 'valibot'
import type { JobNetwork, KernelNetwork, Networks } from '../../runtime/src/job-network/contract.ts'
import { withHostFaces } from '../../runtime/src/job-network/host-faces.ts'
import { livePolicy } from '../../runtime/src/job-network/live-policy.ts'
import { networkSettings, type NetworkConfig } from '../../runtime/src/job-network/settings.ts'

const owner = { deployment: 'a', uid: 1, count: 1, maxConnections: 0 }

/** Networks with the settings given, else the defaults; `open` opens one of the same deployment. */
export function hostFaces(
  network: KernelNetwork,
  given: Partial<v.InferInput<typeof networkSettings>> = {},
): { settings: NetworkConfig; open(): Promise<JobNetwork>; close(): Promise<void> } {
  const settings = v.parse(networkSettings, given)
  const kernel: Networks<KernelNetwork> = {
    state: network.state,
    shortfalls: [],
    open: async () => network,
    keepSpare: () => {},
    close: async () => {},
  }
  const networks = withHostFaces(kernel, { settings, policy: livePolicy(settings) })
  return { settings, open: () => networks.open(owner), close: () => networks.close() }
}
