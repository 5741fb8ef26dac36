/**
 * Shared networks, in the network namespace that this process starts in. The argument is their
 * settings and `mostGroups` as JSON. A line of JSON on stdin names a deployment, an action and its
 * arguments; the answer is a line, `{"value": ...}` or `{"error": MESSAGE}`. It ends with its stdin.
 */
import { createInterface } from 'node:readline'
import { createEgressPolicy } from '../../service/src/egress/policy.ts'
import type { KernelNetwork, NetworkOwner } from '../../runtime/src/job-network/contract.ts'
import { openSharedNetworks } from '../../runtime/src/job-network/shared/shared-networks.ts'
import type { AdmittedAddress } from '../../runtime/src/job-network/contract.ts'
import type { SharedSettings } from './shared-networks-process.ts'

const { mostGroups, ...settings } = JSON.parse(process.argv[2]!) as SharedSettings
const policy = createEgressPolicy(settings.allow)
const networks = await openSharedNetworks({
  isRequired: false,
  settings,
  policy,
  missing: [],
  onWarning: () => {},
  ...(mostGroups !== undefined && { mostGroups }),
})
const opened = new Map<string, KernelNetwork>()
const of = (deployment: string) => opened.get(deployment)!

const actions: Readonly<Record<string, (deployment: string, given: unknown) => unknown>> = {
  open: async (name, owner) => void opened.set(name, await networks.open(owner as NetworkOwner)),
  attach: (name, groups) => of(name).attach(groups as string[]),
  admit: (name, addresses) => of(name).admit(addresses as AdmittedAddress[]),
  revoke: (name, addresses) => of(name).revoke(addresses as string[]),
  counters: (name) => of(name).counters(),
  release: (name) => of(name).release(),
  state: (name) => of(name).state,
  close: () => networks.close(),
}

async function answer(line: string): Promise<object> {
  const [deployment, action, given] = JSON.parse(line) as [string, string, unknown]
  try {
    return { value: await actions[action]!(deployment, given) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

process.stdout.write('{"value":"ready"}\n')
for await (const line of createInterface({ input: process.stdin })) {
  process.stdout.write(`${JSON.stringify(await answer(line))}\n`)
}
// Ends everything else that still runs here.
process.exit()
