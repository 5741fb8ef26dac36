/** The checks of `causeway doctor`, in the order in which they are printed. @module */
import { budgetsCheck } from './budgets.ts'
import { failure, type Check, type Finding, type CheckedHost } from './finding.ts'
import { networkCheck, nodeCheck, processCheck, stateFolderCheck } from './host.ts'
import { keyMemoryCheck, rootSecretCheck, signerCheck } from './keys.ts'
import { limitsCheck } from './resources.ts'
import { confinementCheck, prootCheck } from './sandbox.ts'

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
  budgetsCheck,
  networkCheck,
]

/** Runs all checks, one after the other. */
export async function checkHost(host: CheckedHost): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const { name, look } of checks) {
    try {
      findings.push({ name, ...(await look(host)) })
    } catch (error) {
      const { message, remedy } = error as Error & { remedy?: string }
      findings.push({ name, ...failure(message, remedy) })
    }
  }
  return findings
}
