/** @module */
import { openSandbox } from '../sandbox/sandbox.ts'
import { ok, warning, type Check } from './finding.ts'

/** How memory, processes and storage of jobs are limited here. */
export const limitsCheck: Check = {
  name: 'limits of jobs',
  async look(host) {
    const { limits } = await openSandbox(host.config.sandbox, host.openState().deployments)
    const text = Object.entries(limits).map(([what, how]) => `${what}: ${how}`)
    const isWhole = Object.values(limits).every((how) => how !== 'not limited')
    if (isWhole) return ok(text.join(', '))
    const remedy =
      'run the daemon as root, or in a unit with Delegate=yes, on a host with control groups'
    return warning(text.join(', '), remedy)
  },
}
