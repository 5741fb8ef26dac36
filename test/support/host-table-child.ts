/**
 * A process with the host's network table, or with networks for jobs, in the network namespace that
 * it starts in. Each line on stdin is the name of an action below, and is answered by a line of
 * JSON. It ends with its stdin.
 */
import { createInterface } from 'node:readline'
import { createEgressPolicy } from '../../service/src/egress/policy.ts'
import { holdHostTable, type HostTable } from '../../runtime/src/job-network/isolated/host-table.ts'
import { openIsolatedNetwork } from '../../runtime/src/job-network/isolated/isolated-network.ts'
import { openIsolatedNetworks } from '../../runtime/src/job-network/isolated/isolated-networks.ts'
import type { KernelNetwork, Networks } from '../../runtime/src/job-network/contract.ts'
import { settings } from './shared-networks-process.ts'

const warnings: string[] = []
let table: HostTable
let networks: Networks<KernelNetwork>
let job: KernelNetwork

const actions: Readonly<Record<string, () => unknown>> = {
  async hold() {
    table = await holdHostTable((message) => warnings.push(message))
    return { families: table.families, warnings: table.obstacles.map(({ text }) => text) }
  },
  async open() {
    const { families } = table
    const policy = createEgressPolicy([])
    const { namespace } = await openIsolatedNetwork({ settings, policy, families, queues: true })
    return `/proc/${process.pid}/fd/${namespace}`
  },
  async networks() {
    const policy = createEgressPolicy([])
    const onWarning = (message: string) => warnings.push(message)
    networks = await openIsolatedNetworks({
      settings,
      policy,
      missing: [],
      isRequired: false,
      onWarning,
    })
  },
  async job() {
    job = await networks.open({ deployment: 'a', uid: 0, count: 1, maxConnections: 0 })
    return `/proc/${process.pid}/fd/${job.namespace}`
  },
  rest: () => job.release(),
  close: () => networks.close(),
  refresh: () => table.refresh(),
  families: () => table.families,
  release: () => table.release(),
  warnings: () => warnings,
}

async function answer(word: string): Promise<object> {
  try {
    return { value: (await actions[word]!()) ?? null }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.stdout.write('{"value":"ready"}\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`)
}
