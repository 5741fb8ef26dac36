/**
 * The rules and queues of an isolated network, in the host of a lab as if that were a job's namespace:
 * its cable is called `eth0`, too, and leads to the internet.
 * @module
 */
import { closeSync, openSync, writeFileSync, chmodSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'vitest'
import { createEgressPolicy } from '../../service/src/egress/policy.ts'
import { createNft, type Nft } from '../../runtime/src/job-network/rules/nft.ts'
import {
  layQueues,
  queuesOf,
  type Queues,
} from '../../runtime/src/job-network/isolated/rate-queues.ts'
import { countersOf } from '../../runtime/src/job-network/rules/rule-changes.ts'
import { ruleset } from '../../runtime/src/job-network/rules/ruleset.ts'
import type { NetworkCounters } from '../../runtime/src/job-network/contract.ts'
import { run } from './causeway.ts'
import { openNetworkLab, type NetworkLab } from './network-lab.ts'
import { compileNetworkProbe, type Answer } from './network-probe.ts'
import { runProbe } from './shared-programs.ts'
import { settings } from './shared-networks-process.ts'
import { temporaryFolder } from './temporary-folder.ts'

export interface IsolatedLab extends AsyncDisposable {
  lab: NetworkLab
  /** Descriptor. */
  namespace: number
  nft: Nft
  queues: Queues
  /** Runs the probe as the job. @param words command and its arguments */
  probe<One = Answer>(...words: (string | number)[]): Promise<One>
  /** Runs a script as the job. @throws Error with what it wrote to standard error */
  python(script: string): Promise<string>
  counters(): Promise<NetworkCounters>
}

/** `test` with a lab for each. */
export const isolatedTest = test.extend<{ isolated: IsolatedLab }>({
  isolated: async ({}, use) => {
    await using folder = await temporaryFolder()
    await using lab = await openNetworkLab()
    await using isolated = await furnished(lab, folder.path)
    await use(isolated)
  },
})

async function furnished(lab: NetworkLab, folder: string): Promise<IsolatedLab> {
  const program = join(folder, 'probe')
  writeFileSync(program, await compileNetworkProbe(folder))
  chmodSync(program, 0o755)
  const namespace = openSync(`/proc/${lab.host.pid}/ns/net`, 'r')
  const nft = createNft(namespace)
  const queues = queuesOf(settings)
  await layQueues(namespace, queues)
  await nft.apply(ruleset({ settings, queues, policy: createEgressPolicy([]) }))
  return {
    lab,
    namespace,
    nft,
    queues,
    probe: (...words) => runProbe(lab.host.prefix, program, words),
    python: (script) => python(lab, script),
    counters: async () => countersOf(await nft.json(['list', 'counters'])),
    async [Symbol.asyncDispose]() {
      closeSync(namespace)
    },
  }
}

async function python({ host }: NetworkLab, script: string): Promise<string> {
  const [first, ...words] = [...host.prefix, 'python3', '-c', script]
  const { code, stdout, stderr } = await run(first!, words)
  if (code !== 0) throw new Error(stderr)
  return stdout
}
