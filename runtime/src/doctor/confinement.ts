/** @module */
import { openSandbox } from '../sandbox/sandbox.ts'
import { ok, warning, type Check } from './finding.ts'

/** Layers of confinement that hold here, as a canary found them. */
export const confinementCheck: Check = {
  name: 'confinement',
  async look(host) {
    const { name, warnings } = await openSandbox(host.config.sandbox, host.openState().deployments)
    if (warnings.length === 0) return ok(name)
    return warning(
      `${name}; ${warnings.join('; ')}`,
      'run the daemon as root, or allow user namespaces: sysctl user.max_user_namespaces above 0',
    )
  },
}
