/**
 * The checks of `causeway doctor`, in the order in which they are printed.
 * @module
 */
import { failure, type Check, type Finding, type Host } from './finding.ts'
import { limitsCheck } from './limits-of-jobs.ts'
import { networkCheck } from './network.ts'
import { keyMemoryCheck } from './key-memory.ts'
import { confinementCheck } from './confinement.ts'
import { nodeCheck } from './node.ts'
import { processCheck } from './process.ts'
import { prootCheck } from './proot.ts'
import { rootSecretCheck } from './root-secret.ts'
import { signerCheck } from './signer.ts'
import { stateFolderCheck } from './state-folder.ts'

const checks: readonly Check[] = [
  nodeCheck,
  stateFolderCheck,
  rootSecretCheck,
  signerCheck,
  keyMemoryCheck,
  processCheck,
  prootCheck,
  confinementCheck,
  limitsCheck,
  networkCheck,
]

/** Runs all of them, one after the other. */
export async function checkHost(host: Host): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, look } of checks) {
    try {
      findings.push({ name, ...(await look(host)) })
    } catch (error) {
      findings.push({ name, ...failure((error as Error).message) })
    }
  }
  return findings
}
