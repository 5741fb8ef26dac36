/** @module */
import { probeLauncher } from '../sandbox/launcher.ts'
import { openSandbox } from '../sandbox/sandbox.ts'
import { ok, warning, type Check } from './finding.ts'

/** Layers of confinement around PRoot that this kernel allows. */
export const namespacesCheck: Check = {
  name: 'confinement',
  async look({ config }) {
    const { warnings } = await openSandbox(config.sandbox.proot)
    const { landlockAbi } = await probeLauncher()
    const landlock = landlockAbi > 0 ? `Landlock ABI ${landlockAbi}` : 'no Landlock'
    if (warnings.length === 0) return ok(`seccomp, user namespaces, ${landlock}`)
    return warning(
      `seccomp, ${landlock}; ${warnings.join('; ')}`,
      'allow user namespaces: sysctl kernel.unprivileged_userns_clone=1, user.max_user_namespaces above 0',
    )
  },
}
